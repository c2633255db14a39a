// SPDX-License-Identifier: Apache-2.0
// Questions about a training run on the real page: each plays, is drawn and reads as a sentence, at three widths; several
// runs are listed, ordered and saved.
import { readFile } from "node:fs/promises";
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
    await view.locator(".chart svg").first().waitFor();
    expect(await view.locator(".chart svg").count(), label).toBe(1);
    const shots = process.env.PRISM_SHOTS;
    if (shots) await view.screenshot({ path: `${shots}/${label.replaceAll(" ", "-")}-${width}.png` });
  }
  const box = await view.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  expect(await view.evaluate((section) => section.scrollWidth - section.clientWidth)).toBeLessThanOrEqual(0);
});

test.each([
  [360, "light"],
  [1440, "dark"],
] as const)("several runs are ordered, %d px wide, %s", async (width, colorScheme) => {
  const page = await visit(`/${forge(planned())}`, { viewport: { width, height: 900 }, colorScheme });
  await settled(page);
  await page.getByRole("button", { name: "Open the studies" }).click();
  const view = page.locator("section:has(h2:text-is('Planning the run'))");
  await view.getByRole("radio", { name: "In which order several runs" }).check();
  expect(await view.getByLabel("Run", { exact: true }).inputValue()).toBe("Quick");

  // This scenario again, shorter; and a file that is due first.
  await view.getByRole("button", { name: "Add this scenario" }).click();
  await view.getByLabel("Steps", { exact: true }).nth(1).fill("5000");
  const urgent = { ...JSON.parse(planned()), title: "Urgent" };
  await view.getByLabel("A scenario to schedule").setInputFiles({
    name: "urgent.json",
    mimeType: "text/json",
    buffer: Buffer.from(JSON.stringify(urgent)),
  });
  await view.getByLabel("Run", { exact: true }).nth(2).waitFor();
  await view.getByLabel("Due in (days)").nth(2).fill("4");
  await view.getByRole("button", { name: "Play this question" }).click();
  await view.locator("p.reading").waitFor({ timeout: 60_000 });
  const reading = await view.locator("p.reading").innerText();
  expect(reading).toMatch(
    /^By p95[^:]*: Urgent, then .*All deadlines are met with a chance of .*95 % interval/,
  );
  await view.locator(".chart svg").first().waitFor();
  expect(await view.locator(".chart svg").count()).toBe(1);
  expect(await view.getByRole("rowheader", { name: "All deadlines" }).count()).toBeGreaterThan(0);
  expect(await view.evaluate((section) => section.scrollWidth - section.clientWidth)).toBeLessThanOrEqual(0);

  const save = view.getByRole("button", { name: "Download runs on one cluster as JSON" });
  const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
  const saved = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(saved.question.runs.map((run: { deadline_days: number }) => run.deadline_days)).toEqual([20, 20, 4]);
  expect(saved.question.runs[1].scenario.training_run.steps).toBe(5000);
  expect(saved.rows.at(0)).toMatchObject({ run: "Urgent", place: 1, p50_start_s: 0 });

  // What no longer fits the list is marked, and gives no file; what is refused names its run.
  await view.getByLabel("Due in (days)").nth(1).fill("0");
  expect(await view.locator("[data-stale]").count()).toBe(1);
  expect(await save.isDisabled()).toBe(true);
  await view.getByRole("button", { name: "Play this question" }).click();
  await view.getByRole("alert").waitFor();
  expect(await view.getByRole("alert").innerText()).toMatch(/^Quick \(2\): expected .* found 0/);
  await view.getByRole("button", { name: "Remove Quick (2)" }).click();
  expect(await view.getByLabel("Run", { exact: true }).count()).toBe(2);
});
