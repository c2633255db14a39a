// SPDX-License-Identifier: Apache-2.0
// The timeline on the real page: drawn, walked by keys, by buttons and by pointer; what it says is the module's document;
// what cannot be drawn says why.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { forge, quick, root, settled, useBrowser, visit, visitQuick } from "./browser";

useBrowser();

interface Document {
  digest: string;
  chunks: Record<"rank" | "stage" | "pass" | "micro_batch" | "waits_for", number[]>;
  steps: { wait_ns: number[]; critical: number[] }[];
}

/** What the module answers to the whole text of a scenario. */
async function answer(text: string): Promise<Document> {
  const { load } = (await import(resolve(root, "tests/wasm/module.mjs"))) as {
    load(name: string): Promise<{
      study_plan(text: string, question: string): string;
      study_unit(handle: number, unit: number): Uint8Array;
      study_finish(handle: number, parts: Uint8Array[]): string;
    }>;
  };
  const module = await load("study");
  const planned = JSON.parse(module.study_plan(text, '{"study":"timeline"}'));
  const parts = (planned.plan.units as object[]).map((_, i) => module.study_unit(planned.handle, i));
  return JSON.parse(module.study_finish(planned.handle, parts));
}

const example = () => readFileSync(resolve(root, "examples/llama3-405b-16384-h100.json"), "utf8");
const card = (page: Page) => page.locator("section:has(h2:text-is('One step, drawn'))");
const words = async (page: Page) =>
  (await card(page).locator("output.timeline-words").innerText()).replaceAll(/\s/g, " ");

async function draw(page: Page) {
  await page.getByRole("button", { name: "Draw the timeline" }).click();
  const canvas = card(page).getByRole("application", { name: /^Timeline of the median step/ });
  await canvas.waitFor({ timeout: 120_000 });
  return canvas;
}

test("the first example is drawn, and a wait found by keys is told as the document has it", async () => {
  const page = await visit("/");
  await settled(page);
  const canvas = await draw(page);
  const document = await answer(example());
  expect(
    await card(page)
      .getByText(/digest/)
      .textContent(),
  ).toContain(document.digest);

  await canvas.focus();
  for (const key of ["PageDown", "ArrowDown", "ArrowDown", "ArrowDown", "PageDown"])
    await page.keyboard.press(key);
  const text = await words(page);
  const told =
    /^Rank (\d+) waits ([\d.]+) (µs|ms) before the (forward|backward) of micro-batch (\d+) \(stage (\d+)\) for rank (\d+), whose \S+ of micro-batch \d+ \(stage \d+\) ended at [\d.]+ s and took [\d.]+ (µs|ms) to send\. (Not on|On) the path/.exec(
      text,
    );
  expect(told, text).not.toBe(null);
  const [, rank, time, unit, pass, micro_batch, stage, source, , path] = told!;
  const { chunks, steps } = document;
  const chunk = chunks.rank.findIndex(
    (r, i) =>
      r === Number(rank) &&
      chunks.stage[i] === Number(stage) &&
      chunks.micro_batch[i] === Number(micro_batch) &&
      chunks.pass[i] === ["forward", "backward"].indexOf(pass!),
  );
  const waited = steps[0]!.wait_ns[chunk]! / (unit === "ms" ? 1e6 : 1e3);
  expect(Math.abs(Number(time) / waited - 1)).toBeLessThan(0.006);
  expect(chunks.rank[chunks.waits_for[chunk]!]).toBe(Number(source));
  expect(path === "On").toBe(steps[0]!.critical[chunk] === 1);

  await page.keyboard.press("Enter");
  expect(await words(page)).toMatch(new RegExp(`^Rank ${source}, ${pass} of micro-batch`));
});

test("following leads back to the beginning of the step", async () => {
  const page = await visitQuick();
  const canvas = await draw(page);
  await canvas.focus();
  await page.keyboard.press("End");
  expect(await words(page)).toMatch(/is with the other replicas for/);
  const seen: string[] = [];
  for (let i = 0; i < 200 && !/It began with the step/.test(seen.at(-1) ?? ""); i++) {
    await page.keyboard.press("Enter");
    seen.push(await words(page));
  }
  expect(seen.at(-1)).toMatch(/It began with the step/);
  expect(new Set(seen).size).toBe(seen.length);
  expect(await card(page).getByRole("button", { name: "Go to what it waited for" }).isDisabled()).toBe(true);
});

test("buttons and pointers do what keys do; both steps keep the place", async () => {
  const page = await visitQuick();
  const canvas = await draw(page);
  await card(page).getByRole("button", { name: "Longest wait" }).click();
  const longest = await words(page);
  expect(longest).toMatch(/^Rank \d waits/);
  await card(page).getByText("Data table").click();
  const rows = card(page).getByRole("region", { name: "The longest waits" }).locator("tbody tr");
  expect(await rows.count()).toBe(10);
  expect(longest).toContain((await rows.first().locator("td").first().innerText()).replaceAll(/\s/g, " "));
  await card(page).getByRole("radio", { name: "step at p95" }).check();
  expect(await words(page)).not.toBe(longest);
  await card(page).getByRole("radio", { name: "median step" }).check();
  await card(page)
    .getByRole("button", { name: /^Go to what it waited for, on rank/ })
    .click();
  expect(await words(page)).toMatch(/^Rank \d, /);

  // The same place after zooming at the left edge is an earlier time.
  const box = (await canvas.boundingBox())!;
  const at = { x: box.width * 0.8, y: 15 };
  await canvas.click({ position: at });
  const late = await words(page);
  await page.mouse.move(box.x + 32, box.y + 15);
  await page.keyboard.down("Control");
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await canvas.click({ position: at });
  const early = await words(page);
  expect(early).not.toBe(late);
  expect(early).toMatch(/^Rank 0.*micro-batch/);
  // Dragging moves the window and chooses nothing.
  await page.mouse.move(box.x + 600, box.y + 15);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 15, { steps: 4 });
  await page.mouse.up();
  expect(await words(page)).toBe(early);
  await canvas.click({ position: at });
  expect(await words(page)).not.toBe(early);
});

test("files: a line a chunk and step, and the picture", async () => {
  const page = await visitQuick();
  await draw(page);
  const saved = async (type: string) => {
    const file = page.waitForEvent("download");
    await card(page)
      .getByRole("button", { name: `Download timeline of the median step as ${type}` })
      .click();
    return readFileSync(await (await file).path(), "utf8");
  };
  const csv = await saved("CSV");
  expect(csv).toContain(
    "quantile,trial,rank,stage,pass,micro_batch,start_s,end_s,wait_s,communication_s,transfer_s,critical,waits_for_row",
  );
  expect(csv).toContain((await answer(quick())).digest);
  expect(csv.split("\r\n").filter((line) => /^0\.(5|95),/.test(line))).toHaveLength(2 * 4 * 8 * 2);
  const svg = await saved("SVG");
  for (const part of ['fill="url(#timeline-backward)"', "Time in the step", "with other replicas", "Seed: 3"])
    expect(svg).toContain(part);
});

test("after a change it says that it is of another scenario, and is drawn again", async () => {
  const page = await visitQuick();
  await draw(page);
  await page.getByRole("button", { name: "÷2 Replicas (dp)" }).click();
  await card(page).getByText("The scenario has changed since: draw again.").waitFor();
  await card(page).getByRole("button", { name: "Draw again" }).click();
  await card(page)
    .getByText(/of 2 decided it/)
    .waitFor({ timeout: 120_000 });
});

test("what cannot be drawn says why, in the core's words", async () => {
  const run = { engine: "reference", trials: 64, seed: "3" };
  const page = await visit(`/${forge(quick((s) => Object.assign(s, { run })))}`);
  await settled(page, 120_000);
  await page.getByRole("button", { name: "Draw the timeline" }).click();
  await card(page)
    .getByRole("alert")
    .getByText(/the reference engine plays ranks/)
    .waitFor();
});

test("at 360 px by touch: large targets, and a tap tells what is there", async () => {
  const page = await visitQuick({ viewport: { width: 360, height: 740 }, hasTouch: true });
  const canvas = await draw(page);
  await canvas.tap({ position: { x: 36, y: 60 } });
  expect(await words(page)).toMatch(/^Rank 1 waits/);
  const small = await card(page).evaluate((element) =>
    [...element.querySelectorAll("button, summary, .choice label")]
      .map((e) => ({ name: e.textContent, box: e.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(({ name }) => name),
  );
  expect(small).toEqual([]);
});
