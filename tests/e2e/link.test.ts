// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { address, digest, forge, lead, quick, settled, useBrowser, visit, visitQuick } from "./browser";

const example = JSON.parse(quick());

useBrowser();

test("a shared link opened elsewhere shows the same numbers, reproduced exactly", async () => {
  const page = await visit(`/${forge(JSON.stringify(example))}`);
  await settled(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link.startsWith(`${address()}/#v1.`)).toBe(true);
  const markdown = await page.getByLabel("Markdown", { exact: true }).inputValue();
  expect(markdown).toContain(`](${link})`);
  expect(await page.getByLabel("Command line", { exact: true }).inputValue()).toBe(`prism open '${link}'`);
  const picture = page.waitForEvent("download");
  await page.getByRole("button", { name: "Picture for slides, PNG" }).click();
  const png = readFileSync(await (await picture).path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2400, 1260]);
  await page.keyboard.press("Escape");

  const other = await visit(link.slice(address().length));
  await other.getByText("Reproduced exactly.").waitFor();
  expect(await lead(other)).toBe(await lead(page));
  expect(await digest(other)).toBe(await digest(page));
  expect(other.url()).toBe(link);
  await other.reload();
  await other.getByText("Reproduced exactly.").waitFor();
});

test("any number of workers gives the same digest", async () => {
  const link = forge(JSON.stringify(example));
  const seen = new Set<string>();
  for (const workers of [1, 2, 3, 7]) {
    const page = await visit(`/?workers=${workers}${link}`);
    await settled(page);
    seen.add(await digest(page));
  }
  expect([...seen]).toHaveLength(1);
});

test("a link whose numbers differ says so", async () => {
  const page = await visit(`/${forge(JSON.stringify(example), "0.0.9", "0123456789abcdef")}`);
  await settled(page);
  await page.getByText(/made by engine 0\.0\.9; this page runs/).waitFor();
  const same = await visit(`/${forge(JSON.stringify(example), "0.1.0", "0123456789abcdef")}`);
  await settled(same);
  await same.getByText("Not the shared numbers.").waitFor();
});

describe("a link that cannot be opened has its own message, and nothing in its place", () => {
  const whole = forge(JSON.stringify(example));
  const cases: [string, string, RegExp][] = [
    ["1 % cut", whole.slice(0, Math.floor(whole.length * 0.99)), /cut off: \d+ of \d+ characters arrived/],
    ["10 % cut", whole.slice(0, Math.floor(whole.length * 0.9)), /cut off: \d+ of \d+ characters arrived/],
    ["50 % cut", whole.slice(0, Math.floor(whole.length * 0.5)), /cut off: \d+ of \d+ characters arrived/],
    ["one character changed", whole.replace(/.$/, (c) => (c === "A" ? "B" : "A")), /damaged/],
    ["newer", whole.replace("#v1.", "#v7."), /newer Prism \(link format 7\)/],
    ["controls in the title", forge(JSON.stringify({ ...example, title: "a\u202eb" })), /control characters/],
    ["not one of ours", "#hello", /not a Prism link/],
  ];
  test.each(cases)("%s", async (_, fragment, message) => {
    const page = await visit(`/${fragment}`);
    await page.getByRole("alert").getByText(message).waitFor();
    expect(await page.locator("[data-testid=lead]").count()).toBe(0);
    await page.waitForTimeout(300);
    expect(await page.locator(".chart").count()).toBe(0);
    await page.getByRole("button", { name: "Show the first example instead" }).click();
    await page.locator("[data-testid=lead]").waitFor();
  });
});

test("a link that inflates to 100 MB is refused at once", async () => {
  const bomb = forge(`{"a":"${"x".repeat(100_000_000)}"}`);
  const page = await visitQuick();
  const took = await page.evaluate(async (fragment) => {
    const started = performance.now();
    location.hash = fragment;
    while (!document.querySelector("[role=alert]")) await new Promise((r) => setTimeout(r, 5));
    return performance.now() - started;
  }, bomb);
  await page
    .getByRole("alert")
    .getByText(/larger than 1 MB/)
    .waitFor();
  expect(took).toBeLessThan(3000);
  await page.getByRole("button", { name: "Back to what was here" }).click();
  await settled(page);
});

test("a link never starts long work without a click", async () => {
  const long = { ...example, run: { trials: 10_000_000, seed: "1" } };
  const page = await visit(`/${forge(JSON.stringify(long))}`);
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await page.getByText(/of computing, so it waits for you/).waitFor();
  expect(await page.locator("[data-testid=lead]").count()).toBe(0);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/From the first [\d,]+ of 10,000,000 trials/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("text from a link is text", async () => {
  const title = '<img src=x onerror="document.title=1"> & <b>bold</b>';
  const page = await visit(`/${forge(JSON.stringify({ ...example, title }))}`);
  await settled(page);
  expect(await page.locator("h1").innerText()).toBe(title);
  expect(await page.locator("h1 *").count()).toBe(0);
});

test("a scenario in a link that the core refuses shows its errors, and no sample", async () => {
  const page = await visit(
    `/${forge(JSON.stringify({ ...example, batch: { global: 7, micro: 2, sequence: 8192 } }))}`,
  );
  await page.getByRole("region", { name: "Errors in the scenario" }).waitFor();
  expect(await page.locator("[data-testid=lead]").count()).toBe(0);
});

test("another link in the address of an open page opens, and Undo goes back", async () => {
  const page = await visitQuick();
  await page.evaluate(
    (fragment) => {
      location.hash = fragment;
    },
    forge(JSON.stringify({ ...example, title: "Second" })),
  );
  await page.locator("h1", { hasText: "Second" }).waitFor();
  await settled(page);
  await page.getByRole("button", { name: "Undo opening a link" }).click();
  await page.locator("h1", { hasText: "Quick" }).waitFor();
});
