// SPDX-License-Identifier: Apache-2.0
// Causes of variability and slow places, changed on the page: each change gives another answer, and the text keeps it.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { lead, openText, settled, useBrowser, visitQuick } from "./browser";

useBrowser();

const p95 = async (page: Page) => Number(/within ([\d.]+)\s/.exec(await lead(page))?.[1]);

const digestNow = (page: Page) => page.locator("dt:text-is('Digest') + dd code").innerText();

/** Waits for a whole answer with another digest. */
async function answered(page: Page, before: string): Promise<void> {
  await page.waitForFunction((old) => {
    const name = [...document.querySelectorAll("dt")].find((e) => e.textContent === "Digest");
    return name?.nextElementSibling?.querySelector("code")?.textContent !== old;
  }, before);
  await settled(page);
}

async function changed(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await digestNow(page);
  await act();
  await answered(page, before);
  expect(await digestNow(page)).not.toBe(before);
}

const scenarioText = async (page: Page) => {
  await openText(page);
  const text = JSON.parse(await page.locator(".cm-content").innerText());
  await page.getByRole("tab", { name: "Settings" }).click();
  return text;
};
const causes = (page: Page) =>
  page.getByRole("list", { name: "Causes of variability" }).getByRole("listitem");

describe("variability", () => {
  test("another preset brings its causes, each with shape, sharing and source, and a wider answer", async () => {
    const page = await visitQuick();
    await causes(page).nth(2).waitFor();
    const before = await p95(page);
    await changed(page, () => page.getByLabel("Preset").selectOption("shared-congested"));
    expect(await p95(page)).toBeGreaterThan(1.03 * before);
    expect(await causes(page).count()).toBe(5);
    const regime = causes(page).filter({ hasText: "2 times in 20" });
    expect(await regime.innerText()).toContain("shared by all GPUs, for one step");
    await regime.getByText("Source").click();
    expect(await regime.innerText()).toContain("arXiv 2410.12588");
    expect((await scenarioText(page)).variability).toBe("shared-congested");
  });

  test("a cause is switched off in its place and on again, to the same digest", async () => {
    const page = await visitQuick();
    await causes(page).nth(2).waitFor();
    const before = [await digestNow(page), await p95(page)] as const;
    const gpus = causes(page).filter({ hasText: "shared by all work of a GPU" });
    const toggle = gpus.getByRole("checkbox");
    await changed(page, () => toggle.uncheck());
    expect(await p95(page)).toBeLessThan(before[1]);
    expect(await causes(page).count()).toBe(3);
    expect(await gpus.innerText()).toContain("always 1");
    const written = (await scenarioText(page)).variability;
    expect(written.preset_factors).toHaveLength(3);
    expect(written.preset_factors[2].constant).toEqual({ value: 1 });
    await changed(page, () => toggle.check());
    expect(await digestNow(page)).toBe(before[0]);
    expect((await scenarioText(page)).variability).toBe("dedicated");
  });

  test("a factor of one's own is added, changed, silenced, brought back and taken out", async () => {
    const page = await visitQuick();
    await causes(page).nth(2).waitFor();
    await changed(page, () => page.getByRole("button", { name: "Factor", exact: true }).click());
    const own = causes(page).nth(3);
    await changed(page, () => own.getByLabel("Shared by").selectOption("cluster"));
    const narrow = await p95(page);
    await changed(page, () => own.getByRole("textbox", { name: "Spread (CV)" }).fill("20"));
    expect(await p95(page)).toBeGreaterThan(1.1 * narrow);
    await changed(page, () => own.getByRole("checkbox").uncheck());
    expect(await p95(page)).toBeLessThan(narrow);
    await changed(page, () => own.getByRole("checkbox").check());
    expect((await scenarioText(page)).variability.factors[0]).toMatchObject({
      scope: "cluster",
      lognormal: { median: 1, cv: 0.2 },
    });
    await changed(page, () => own.getByRole("button", { name: /^Take out/ }).click());
    expect((await scenarioText(page)).variability).toBe("dedicated");
  });

  test("a stall of one's own makes a tail", async () => {
    const page = await visitQuick();
    await causes(page).nth(2).waitFor();
    const before = await p95(page);
    await changed(page, () => page.getByRole("button", { name: "Stall", exact: true }).click());
    await changed(page, () =>
      causes(page).nth(3).getByRole("textbox", { name: "Events a node and hour" }).fill("100"),
    );
    expect(await p95(page)).toBeGreaterThan(1.02 * before);
  });
});

describe("a slow place", () => {
  test("changes the answer, says its multiplier, moves, and goes", async () => {
    const page = await visitQuick();
    const before = [await digestNow(page), await p95(page)] as const;
    await changed(page, () => page.getByRole("button", { name: "Slow node" }).click());
    const place = page.getByRole("list", { name: "Slow places" }).getByRole("listitem");
    await place.getByText("Compute there takes 1.2 times as long as usual.").waitFor();
    const slow = await p95(page);
    expect(slow).toBeGreaterThan(1.05 * before[1]);
    expect(slow).toBeLessThan(1.21 * before[1]);
    await changed(page, () => place.getByRole("textbox", { name: "Takes" }).fill("150"));
    await place.getByText("1.5 times as long").waitFor();
    expect(await p95(page)).toBeGreaterThan(slow);
    await place.getByRole("button", { name: "More Pipeline rank" }).click();
    await settled(page);
    expect((await scenarioText(page)).what_if[0]).toEqual({
      where: { pp: 1, dp: 0, unit: "node" },
      factor: 1.5,
    });
    await place.getByRole("textbox", { name: "Pipeline rank" }).fill("4");
    await place
      .getByText(/expected|from 0 to 3/)
      .first()
      .waitFor();
    await changed(page, () => place.getByRole("button", { name: /^Take out/ }).click());
    expect(await digestNow(page)).toBe(before[0]);
  });

  test("as slow as one in twenty is: the multiplier is the core's, and its warning is shown", async () => {
    const page = await visitQuick();
    await changed(page, () => page.getByRole("button", { name: "Slow node" }).click());
    const place = page.getByRole("list", { name: "Slow places" }).getByRole("listitem");
    await changed(page, () => place.getByLabel("How slow").selectOption("node_quantile"));
    // exp(1.645 sqrt(log(1 + 0.01^2))), of GPUs that differ with CV 1 %.
    await place.getByText("1.017 times as long as usual, in every step").waitFor();
    const warning = page.getByRole("region", { name: "Warnings" }).getByText(/multiplies times by/);
    expect(await warning.count()).toBe(0);
    await changed(page, () => page.getByLabel("Preset").selectOption("fresh-5-15"));
    await warning.waitFor();
    expect(await warning.innerText()).toContain("multiplies times by 1.0000");
  });
});

test("fresh jitter alone and a congested network can be compared here, and undone", async () => {
  const page = await visitQuick();
  const own = page.locator("tr", { hasText: "This scenario" }).locator("td");
  const spread = async () => Number.parseFloat(await own.innerText());
  const before = await digestNow(page);
  await changed(page, () => page.getByRole("button", { name: "A congested network, here" }).click());
  const shared = await spread();
  await changed(page, () => page.getByRole("button", { name: "Fresh jitter alone, here" }).click());
  expect(shared).toBeGreaterThan(3 * (await spread()));
  await page.getByRole("button", { name: /^Undo/ }).click();
  await settled(page);
  await changed(page, () => page.getByRole("button", { name: /^Undo/ }).click());
  expect(await digestNow(page)).toBe(before);
});
