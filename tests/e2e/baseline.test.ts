// SPDX-License-Identifier: Apache-2.0
// A pinned result on the real page: each change is set beside it, the newest one wins, and it is no part of the document.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openText, quick, replaceText, settled, useBrowser, visitQuick } from "./browser";

useBrowser();

const card = (page: Page) => page.locator("section:has(> header h2:text-is('Against the pinned baseline'))");
const reading = (page: Page) => card(page).locator("p.reading");
const choose = (page: Page, preset: string) =>
  page.locator("#panel-form").getByLabel("Preset").selectOption(preset);
const changed = (page: Page) => card(page).getByRole("region", { name: "Settings that differ" });
/** Both figures are there and belong to the present settings. */
async function compared(page: Page) {
  await settled(page);
  await card(page).locator(".headlines").waitFor({ timeout: 60_000 });
  await page.waitForFunction(() => !document.querySelector(".baseline [data-stale]"));
}

async function pin(page: Page) {
  await page.getByRole("button", { name: "Pin this result" }).click();
  await card(page).getByText("Nothing has changed yet.").waitFor();
}

test("a change is set beside the pinned result: figures, members, both curves, files", async () => {
  const page = await visitQuick();
  await pin(page);
  const shape = () => page.locator(".panels .figure").first().locator("[stroke-dasharray='6 3']");
  expect(await shape().count()).toBe(0);
  await choose(page, "shared-congested");
  await compared(page);
  expect(await reading(page).innerText()).toMatch(/^The p95 is now .* longer than that of the pinned result/);
  const tiles = await card(page).locator(".headlines").innerText();
  for (const name of ["Median", "p95", "Mean"])
    expect(tiles).toMatch(new RegExp(`${name}\\s+\\+[\\d.]+\\ss`));
  expect(tiles.match(/\+[\d.]+ to \+[\d.]+ s/g)).toHaveLength(3);
  expect(await changed(page).innerText()).toMatch(/\/variability\s+"dedicated"\s+"shared-congested"/);
  await shape().first().waitFor({ state: "attached" });
  await page.getByRole("radio", { name: "Cumulative" }).check();
  await shape().first().waitFor({ state: "attached" });

  const file = page.waitForEvent("download");
  await card(page)
    .getByRole("button", { name: /as CSV$/ })
    .click();
  const csv = readFileSync(await (await file).path(), "utf8");
  expect(csv).toMatch(/Study: compared with the pinned Quick, digest [0-9a-f]{16}\r/);
  expect(csv).toContain("\r\nwhat,first_s,second_s,difference_s,low_s,high_s\r\n");

  await choose(page, "fresh-5-15");
  await compared(page);
  await changed(page).getByText("fresh-5-15").waitFor();
  expect(
    await card(page)
      .getByRole("button", { name: /as CSV$/ })
      .isEnabled(),
  ).toBe(true);

  await card(page).getByRole("button", { name: "Unpin" }).click();
  await page.getByRole("button", { name: "Pin this result" }).waitFor();
  expect(await shape().count()).toBe(0);
});

test("undo, redo and reloading leave the pin; the link does not carry it", async () => {
  const page = await visitQuick();
  await pin(page);
  await choose(page, "shared-congested");
  await compared(page);
  const first = await reading(page).innerText();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await card(page).getByText("Nothing has changed yet.").waitFor();
  await page.getByRole("button", { name: /^Redo/ }).click();
  await compared(page);
  expect(await reading(page).innerText()).toBe(first);
  await page.waitForFunction(() => location.hash.startsWith("#v1."));
  await card(page).getByRole("button", { name: "Go back to it" }).click();
  await card(page).getByText("Nothing has changed yet.").waitFor();
  await page.getByRole("button", { name: "Undo going back to the pinned scenario" }).click();
  await compared(page);
  await page.reload();
  await compared(page);
  expect(await reading(page).innerText()).toBe(first);
  const elsewhere = await page.context().newPage();
  await elsewhere.goto(page.url());
  await elsewhere.getByRole("button", { name: "Pin this result" }).waitFor();
  await elsewhere.close();
  await card(page).getByRole("button", { name: "Unpin" }).click();
  await page.reload();
  await settled(page);
  await page.getByRole("button", { name: "Pin this result" }).waitFor();
  expect(await card(page).count()).toBe(0);
});

test("of quick changes the newest is compared, and one of the seed alone is not", async () => {
  const page = await visitQuick();
  await pin(page);
  await choose(page, "shared-congested");
  await choose(page, "fresh-5-15");
  await choose(page, "roce-wandering");
  await compared(page);
  expect(await changed(page).innerText()).toMatch(/"dedicated"\s+"roce-wandering"/);
  await openText(page);
  await replaceText(
    page,
    quick((s) => Object.assign(s, { run: { trials: 1024, seed: "4" } })),
  );
  await card(page).getByText("Only the seed or the number of trials differs").waitFor();
});

test("what takes long is played when it is asked for", async () => {
  const page = await visitQuick();
  await pin(page);
  await page.evaluate(() => {
    const real = performance.now.bind(performance);
    const from = real();
    performance.now = () => from + 1000 * (real() - from);
  });
  await choose(page, "shared-congested");
  await settled(page);
  await card(page)
    .getByText(/of computing$/)
    .waitFor();
  expect(await card(page).locator(".headlines").count()).toBe(0);
  await card(page).getByRole("button", { name: "Play both on the same noise" }).click();
  await compared(page);
});
