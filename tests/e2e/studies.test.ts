// SPDX-License-Identifier: Apache-2.0
// Each study on the real page: it plays, says what it found, has the native program's digest, opens a variant as a
// scenario, and stops when it is asked to.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { digest, forge, quick, root, useBrowser, visitQuick } from "./browser";

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
    await view.locator(".chart svg").first().waitFor();
    expect(await view.locator(".chart svg").count(), label).toBeGreaterThanOrEqual(1);
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

test("any other scenario is compared: an example, a link, a file", async () => {
  const page = await visitQuick();
  await open(page);
  const card = page.locator("section:has(h2:text-is('Compare with another scenario'))");
  const second = quick((s) => Object.assign(s, { title: "Second", cluster: { gpu: "h200-sxm" } }));
  const compare = async () => {
    await card.getByRole("button", { name: "Compare the two" }).click();
    await card.getByText(/on the same noise where the two are alike/).waitFor({ timeout: 120_000 });
  };
  await card.getByLabel("A link or a text").fill(forge(JSON.stringify(JSON.parse(second))));
  await card.getByLabel("A link or a text").press("Tab");
  await card.getByText("Second is the second one.").waitFor();
  await compare();
  await card.getByText("2 members differ").waitFor();
  const differing = await card.getByRole("region", { name: "Members that differ" }).innerText();
  expect(differing).toContain("/cluster/gpu");
  expect(await card.locator("p.reading").innerText()).toMatch(/^The p95 of Second is .* this scenario/);
  const file = page.waitForEvent("download");
  await card.getByRole("button", { name: /as CSV$/ }).click();
  const csv = readFileSync(await (await file).path(), "utf8");
  for (const fact of [/Study: compared with Second/, /Seed: 3\r/, /Link of the scenario: http.*#v1\./])
    expect(csv).toMatch(fact);
  expect(csv).toContain("\r\nshare,first_s,second_s\r\n");

  await card.getByLabel("Second scenario").setInputFiles({
    name: "noise.json",
    mimeType: "application/json",
    buffer: Buffer.from("{{{"),
  });
  await card.getByRole("alert").getByText("noise.json is not a scenario: it is not JSON.").waitFor();
  await card.getByLabel("A link or a text").fill("#v1.2s-0123");
  await card.getByLabel("A link or a text").press("Tab");
  await card
    .getByRole("alert")
    .getByText(/cut off/)
    .waitFor();

  await card.getByLabel("An example").selectOption("gpt3-175b-1024-a100.json");
  await compare();
  await card.getByRole("button", { name: "Open the second one" }).click();
  await page.locator("h1", { hasText: "GPT-3 175B on 1,024 A100" }).waitFor();
  await page.getByRole("button", { name: "Undo opening the second scenario" }).click();
  await page.locator("h1", { hasText: "Quick" }).waitFor();
});
