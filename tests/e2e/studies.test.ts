// SPDX-License-Identifier: Apache-2.0
// Each study on the real page: it plays, says what it found, has the native program's digest, opens a variant as a
// scenario, and stops when it is asked to.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { digest, quick, root, useBrowser, visitQuick } from "./browser";

useBrowser();

async function open(page: Page) {
  await page.getByRole("button", { name: "Open the studies" }).click();
  await page.getByRole("button", { name: "Play this study" }).waitFor();
}

async function play(page: Page, label: string) {
  await page.getByRole("radio", { name: label }).check();
  await page.getByRole("button", { name: "Play this study" }).click();
  const view = page.locator("section:has(h2:text-is('Studies'))");
  await view.getByText(/trials each on the same noise/).waitFor({ state: "attached", timeout: 120_000 });
  return view;
}

test("each study of the page plays, is drawn and reads as a sentence", async () => {
  const page = await visitQuick();
  await open(page);
  const labels = await page.locator("section:has(h2:text-is('Studies')) fieldset label").allInnerTexts();
  expect(labels.length).toBeGreaterThanOrEqual(4);
  for (const label of labels) {
    const view = await play(page, label);
    expect(await view.locator("svg").count(), label).toBeGreaterThanOrEqual(1);
    expect((await view.locator("p.reading").innerText()).length, label).toBeGreaterThan(30);
  }
});

test("a study's digest is the native program's", async () => {
  const page = await visitQuick();
  await open(page);
  const view = await play(page, "What sets the tail");
  const text = await view.getByText(/trials each on the same noise/).textContent();
  const shown = /digest ([0-9a-f]{16})/.exec(text ?? "")?.[1];
  const native = JSON.parse(
    execFileSync(resolve(root, "build/prism"), ["study", "sensitivity", "-", "--json"], {
      input: quick(),
      encoding: "utf8",
      maxBuffer: 64 << 20,
    }),
  );
  expect(shown).toBe(native.digest);
});

test("a variant opens as a scenario", async () => {
  const page = await visitQuick();
  await open(page);
  await play(page, "What sets the tail");
  const before = await digest(page);
  await page.getByRole("button", { name: "Open as scenario" }).click();
  await page.waitForFunction(
    (old) => {
      const code = [...document.querySelectorAll("dt")].find((dt) => dt.textContent === "Digest");
      const shown = code?.nextElementSibling?.querySelector("code")?.textContent;
      return shown && shown !== old;
    },
    before,
    { timeout: 60_000 },
  );
  // The study stays, and says that it is of another scenario.
  await page.getByText("The scenario has changed since: play the study again.").waitFor();
});
