// SPDX-License-Identifier: Apache-2.0
// Questions about a training run on the real page: each plays, is drawn and reads as a sentence, at three widths.
import { expect, test } from "vitest";
import { forge, quick, settled, useBrowser, visit } from "./browser";

useBrowser();

const planned = () =>
  quick((scenario) => {
    scenario.training_run = {
      steps: 20000,
      runs: 200,
      finish_within_days: [20],
      failures: { causes: [{ name: "any", per_day: 12, detection_min: 2, restart_min: 8, replacement: 1 }] },
      checkpoint: { every: "best", write_s: 20 },
      spares: { nodes: 1, repair_h: 6 },
    };
  });

test.each([
  [360, "light"],
  [768, "dark"],
  [1440, "light"],
] as const)("each question plays and is drawn, %d px wide, %s", async (width, colorScheme) => {
  const page = await visit(`/${forge(JSON.stringify(JSON.parse(planned())))}`, {
    viewport: { width, height: 900 },
    colorScheme,
  });
  await settled(page);
  await page.getByRole("button", { name: "Open the studies" }).click();
  const view = page.locator("section:has(h2:text-is('Planning the run'))");
  const questions: [string, RegExp][] = [
    ["How often to write checkpoints", /^The run is shortest with a checkpoint every .*Young\.$/],
    ["How many spares", /^Spare nodes for 95.* chance of finishing within 20\.00 days: /],
    ["How many GPUs", /^GPUs for 95.* point estimate, without failures, says .* before the deadline\.$/],
  ];
  for (const [label, reads] of questions) {
    await view.getByRole("radio", { name: label }).check();
    await view.getByRole("button", { name: "Play this question" }).click();
    await view.locator("p.reading").waitFor({ timeout: 60_000 });
    expect(await view.locator("p.reading").innerText()).toMatch(reads);
    expect(await view.locator(".chart svg").count(), label).toBe(1);
    const shots = process.env.PRISM_SHOTS;
    if (shots) await view.screenshot({ path: `${shots}/${label.replaceAll(" ", "-")}-${width}.png` });
  }
  const box = await view.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  expect(await view.evaluate((section) => section.scrollWidth - section.clientWidth)).toBeLessThanOrEqual(0);
});
