// SPDX-License-Identifier: Apache-2.0
// Each study on the real page: it plays, says what it found, has the native program's digest, opens a variant as a
// scenario, and stops when it is asked to. (The digest of the timeline: timeline.test.ts.)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { digest, forge, quick, root, settled, useBrowser, visit, visitQuick } from "./browser";

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

/** The digest that the native program prints for a study of the text. */
function native([study, ...options]: string[], text: string): string {
  const document = execFileSync(resolve(root, "build/prism"), ["study", study!, "-", ...options, "--json"], {
    input: text,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return JSON.parse(document).digest;
}

async function shownDigest(view: Locator) {
  const text = await view.getByText(/trials each on the same noise/).textContent();
  return /digest ([0-9a-f]{16})/.exec(text ?? "")?.[1];
}

const asOnThePage: Record<string, string[]> = {
  "What sets the tail": ["sensitivity"],
  "Where a slow node hurts": ["placement"],
  "How it scales": ["scaling"],
  "Which layout": ["compare", "--most", "24"],
  "More or less variability": ["scale-variability", "--times", "0,0.5,1,2"],
};

test("each study of the page plays, is drawn, reads as a sentence and has the native program's digest", async () => {
  const page = await visitQuick();
  await open(page);
  const labels = await page.locator("section:has(h2:text-is('Studies')) fieldset label").allInnerTexts();
  expect(labels).toEqual(Object.keys(asOnThePage));
  for (const label of labels) {
    const view = await play(page, label);
    await view.locator(".chart svg").first().waitFor();
    expect(await view.locator(".chart svg").count(), label).toBeGreaterThanOrEqual(1);
    expect((await view.locator("p.reading").innerText()).length, label).toBeGreaterThan(30);
    expect(await shownDigest(view), label).toBe(native(asOnThePage[label]!, quick()));
  }
});

test("a study takes as many trials as the scenario asks for, where that is chosen", async () => {
  const text = quick((s) => Object.assign(s, { run: { trials: 1536, seed: "3" } }));
  const page = await visit(`/${forge(JSON.stringify(JSON.parse(text)))}`);
  await settled(page);
  await open(page);
  const view = await play(page, "What sets the tail");
  await view.getByText(/variants, 1,024 trials each/).waitFor({ state: "attached" });
  await page.getByRole("radio", { name: "1,536, as the scenario" }).check();
  await page.getByRole("button", { name: "Play this study" }).click();
  await view.getByText(/variants, 1,536 trials each/).waitFor({ state: "attached", timeout: 120_000 });
  expect(await shownDigest(view)).toBe(native(["sensitivity"], text));
});

test("the page's worker plays a sweep, which has no panel, to the native program's digest", async () => {
  const page = await visitQuick();
  await open(page);
  const started = page.waitForEvent("worker");
  await page.getByRole("button", { name: "Play this study" }).click();
  const worker = (await started).url();
  const engine = await page.evaluate(
    () => performance.getEntriesByType("resource").find((r) => /study[^/]*\.wasm$/.test(r.name))!.name,
  );
  const question = JSON.stringify({ study: "sweep", pointer: "/batch/global", values: [32, 64, 128] });
  const digest = await page.evaluate(
    async ({ worker, engine, text, question }) => {
      const module = await WebAssembly.compileStreaming(fetch(engine));
      const player = new Worker(worker, { type: "module" });
      const parts: Uint8Array[] = [];
      let units = 0;
      return new Promise<string>((done, fail) => {
        player.onmessage = ({ data }) => {
          if (data.type === "planned") units = data.units.length;
          if (data.type === "part") parts[data.unit] = data.bytes;
          if (data.type === "finished") done(JSON.parse(data.text).digest);
          else if (data.type === "refused" || data.type === "failed") fail(new Error(JSON.stringify(data)));
          else if (parts.length < units) player.postMessage({ type: "unit", unit: parts.length });
          else player.postMessage({ type: "finish", parts });
        };
        player.postMessage({ type: "plan", module, text, question });
      });
    },
    { worker, engine, text: quick(), question },
  );
  expect(digest).toBe(native(["sweep", "--at", "/batch/global", "--values", "32,64,128"], quick()));
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
  await card.getByText("2 settings differ").waitFor();
  const differing = await card.getByRole("region", { name: "Settings that differ" }).innerText();
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
