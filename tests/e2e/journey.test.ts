// SPDX-License-Identifier: Apache-2.0
// A person's way through the page: answer, change, text, files, errors, cancel, undo, share.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  digest,
  lead,
  openText,
  quick,
  replaceText,
  root,
  settled,
  useBrowser,
  visit,
  visitQuick,
} from "./browser";

const example = readFileSync(resolve(root, "examples/llama3-405b-16384-h100.json"), "utf8");
const small = readFileSync(resolve(root, "examples/teaching-operators.json"), "utf8");
const other = quick((s) => Object.assign(s, { title: "Other", run: { trials: 1024, seed: "4" } }));

useBrowser();

async function upload(page: Awaited<ReturnType<typeof visit>>, name: string, text: string) {
  const path = join(tmpdir(), `prism-e2e-${process.pid}-${name}`);
  writeFileSync(path, text);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open file" }).click();
  await (await chooser).setFiles(path);
}

test("the first screen is a finished answer", async () => {
  const page = await visit();
  await settled(page);
  expect(await lead(page)).toMatch(
    /^95 of 100 steps finish within \d+\.\d+\ss\. Without variability every step would take \d+\.\d+\ss\.$/,
  );
  expect(await page.locator("h1").innerText()).toBe(JSON.parse(example).title);
  await page.getByText(/With 95 % confidence, at least 95 % of the steps/).waitFor();
  for (const name of [
    "Step time",
    "Quantiles",
    "Where the time goes",
    "Pipeline ranks",
    "Throughput",
    "Layout",
    "How it was computed",
  ])
    await page.locator(".panels").getByRole("heading", { name, exact: true }).waitFor();
  await page.locator(".chart svg").nth(2).waitFor();
  await digest(page);
});

test("the numbers on the page are the core's", async () => {
  const page = await visit();
  await settled(page);
  await page.getByRole("button", { name: "Share" }).click();
  const file = page.waitForEvent("download");
  await page.getByRole("button", { name: "Result, JSON" }).click();
  const result = JSON.parse(readFileSync(await (await file).path(), "utf8"));
  expect(result.link).toMatch(/^http.*#v1\./);
  expect(result.digest).toBe(await digest(page));
  const p95 = result.step_time_s.p95 as number;
  const shown = Number(/within (\d+\.\d+)\ss/.exec(await lead(page))?.[1]);
  expect(Math.abs(shown - p95)).toBeLessThan(0.01);
  expect(await page.locator(".headlines").innerText()).toContain(
    `${result.layout.gpus.toLocaleString("en-GB")} GPUs`,
  );
});

test("the glossary opens at the foot and where a chart is explained, and gives the focus back", async () => {
  const page = await visitQuick();
  const ranks = page.locator(".figure", { has: page.getByRole("heading", { name: "Pipeline ranks" }) });
  await ranks.getByText("How to read this").click();
  for (const place of [ranks, page.locator("footer.foot")]) {
    const button = place.getByRole("button", { name: "Glossary" });
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Glossary" });
    await dialog.getByText("(p−1)/(m+p−1)").waitFor();
    expect(await dialog.locator("strong").filter({ hasText: "Bubble" }).count()).toBe(2);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  }
});

describe("a change", () => {
  test("in the form gives a new answer, keeps the text's shape, and is undone", async () => {
    const page = await visitQuick();
    const before = [await lead(page), await digest(page)];
    await page.getByRole("button", { name: "÷2 Replicas (dp)" }).click();
    await page.waitForFunction(
      (old) => document.querySelector("[data-testid=lead]")?.textContent !== old,
      before[0],
    );
    await settled(page);
    expect(await page.locator(".headlines").innerText()).toContain("64 GPUs");
    await openText(page);
    const text = await page.locator(".cm-content").innerText();
    expect(text.replace(/\s+/g, " ")).toContain('"batch": { "global": 32, "sequence": 8192 }');
    expect(text).toContain('"dp": 2');
    await page.getByRole("button", { name: /^Undo changing replicas/ }).click();
    await settled(page);
    expect([await lead(page), await digest(page)]).toEqual(before);
    await page.getByRole("button", { name: /^Redo/ }).click();
    await settled(page);
    expect(await page.locator(".headlines").innerText()).toContain("64 GPUs");
  });

  test("moves nothing while its answer is computed", async () => {
    const page = await visitQuick();
    await page.locator(".chart svg").nth(1).waitFor();
    const heights = await page.evaluate(async () => {
      const measure = () =>
        ["#answer", ".input-place", ".panels"].map((s) => document.querySelector(s)!.scrollHeight).join(" ");
      const seen = new Set([measure()]);
      document.querySelector<HTMLButtonElement>('[aria-label="Draw a new seed"]')!.click();
      const computing = () => !/computed here in/.test(document.querySelector(".status p")!.textContent!);
      do {
        await new Promise(requestAnimationFrame);
        seen.add(measure());
      } while (computing() || document.querySelector("[data-stale]"));
      return [...seen];
    });
    expect(heights.length).toBe(1);
  });

  test("in the text gives a new answer, and in the address its link", async () => {
    const page = await visitQuick();
    const before = page.url();
    await openText(page);
    await replaceText(page, other);
    await page.locator("h1", { hasText: "Other" }).waitFor();
    await settled(page);
    await page.waitForFunction((old) => location.href !== old && location.hash.startsWith("#v1."), before);
    await page.locator(".cm-content").press("Control+z");
    await page.locator("h1", { hasText: "Quick" }).waitFor();
    await settled(page);
  });
});

describe("a file", () => {
  test("that is chosen opens, and Undo brings back what was there", async () => {
    const page = await visitQuick();
    await upload(page, "small.json", small);
    await page.locator("h1", { hasText: JSON.parse(small).title }).waitFor();
    await settled(page);
    expect(await lead(page)).toMatch(/Every step takes/);
    await page.getByRole("button", { name: "Undo opening a file" }).click();
    await page.locator("h1", { hasText: "Quick" }).waitFor();
  });

  test("that is dropped opens", async () => {
    const page = await visitQuick();
    const data = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "dropped.json", { type: "application/json" }));
      return transfer;
    }, other);
    await page.dispatchEvent("main", "dragover", { dataTransfer: data });
    await page.getByText("Drop a scenario or a result").waitFor();
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
    await page.locator("h1", { hasText: "Other" }).waitFor();
    await settled(page);
  });

  test("that is a result opens as its scenario and says it was reproduced exactly", async () => {
    const page = await visitQuick();
    const made = await digest(page);
    await page.getByRole("button", { name: "Share" }).click();
    const file = page.waitForEvent("download");
    await page.getByRole("button", { name: "Result, JSON" }).click();
    const saved = readFileSync(await (await file).path(), "utf8");
    await page.keyboard.press("Escape");
    await upload(page, "other.json", other);
    await page.locator("h1", { hasText: "Other" }).waitFor();
    await settled(page);
    await upload(page, "result.json", saved);
    await page.getByText("Reproduced exactly.").waitFor();
    expect(await digest(page)).toBe(made);
  });

  test("that is bad shows line and column, and keeps the last result, marked", async () => {
    const page = await visitQuick();
    const before = await lead(page);
    const bad = quick().replace('"dp": 4', '"dpp": 4');
    await upload(page, "bad.json", bad);
    const line = bad.split("\n").findIndex((l) => l.includes('"dpp"')) + 1;
    const column = bad.split("\n")[line - 1]!.indexOf('"dpp"') + 1;
    const error = page.getByRole("button", { name: new RegExp(`^Line ${line}:${column}\\b`) });
    await error.waitFor();
    expect(await lead(page)).toBe(before);
    expect(await page.locator("[data-stale]").count()).toBeGreaterThan(0);
    await page.getByText(/numbers belong to the last one without/).waitFor();
    // The place is a button: it opens the text there, by keyboard too.
    await error.focus();
    await page.keyboard.press("Enter");
    await page.locator(".cm-activeLine", { hasText: '"dpp"' }).waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    // Sharing never mixes old numbers with new settings.
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText(/no finished result of the present settings/).waitFor();
  });

  test("whose batch does not multiply out is mended at its field", async () => {
    const page = await visitQuick();
    const batch = { global: 32, micro: 1, micro_batches: 4, sequence: 8192 };
    await upload(
      page,
      "batch.json",
      quick((s) => Object.assign(s, { batch })),
    );
    const field = page.locator(".field", { has: page.getByLabel("Global batch") });
    await field.getByText(/global 32 is not micro 1 x micro_batches 4 x dp 4 = 16/).waitFor();
    await field.getByRole("button", { name: "Use global 16" }).click();
    await settled(page);
    expect(await field.getByRole("textbox").inputValue()).toBe("16");
    await page.getByRole("button", { name: "Undo mending: use global 16" }).click();
    await field.getByRole("button", { name: "Leave out global" }).click();
    await settled(page);
  });

  test("that is no text at all is refused by the core, not by a crash", async () => {
    const page = await visitQuick();
    await upload(page, "noise.json", "\u0000\u0001\ufffd{{{");
    await page.getByRole("region", { name: "Errors in the scenario" }).waitFor();
    await page.getByRole("button", { name: /^Undo/ }).click();
    await settled(page);
  });
});

test("pasting a scenario anywhere opens it", async () => {
  const page = await visitQuick();
  await page.locator("h1").click();
  await page.evaluate((text) => navigator.clipboard.writeText(text), other);
  await page.keyboard.press("Control+v");
  await page.locator("h1", { hasText: "Other" }).waitFor();
  await settled(page);
});

test("cancel stops at once, keeps what there is, and the next run works", async () => {
  const page = await visitQuick();
  await openText(page);
  await replaceText(
    page,
    quick((s) => Object.assign(s, { run: { trials: 10_000_000, seed: "1" } })),
  );
  const wait = page.getByRole("button", { name: "Run", exact: true });
  const cancel = page.getByRole("button", { name: "Cancel" });
  await Promise.race([wait.waitFor(), cancel.waitFor()]);
  if (await wait.isVisible()) await wait.click();
  await page.getByText(/From the first [\d,]+ of 10,000,000 trials/).waitFor();
  const took = await page.evaluate(async () => {
    const button = [...document.querySelectorAll("button")].find((b) => b.textContent === "Cancel")!;
    const started = performance.now();
    button.click();
    while (!/Stopped/.test(document.querySelector(".status")?.textContent ?? ""))
      await new Promise(requestAnimationFrame);
    return performance.now() - started;
  });
  expect(took).toBeLessThan(500);
  const kept = await lead(page);
  await page.waitForTimeout(800);
  expect(await lead(page)).toBe(kept);
  await replaceText(page, other);
  await page.getByText(/From 1,024 trials, computed here/).waitFor();
  await settled(page);
});

test("the newest change wins, however fast they come", async () => {
  const page = await visitQuick();
  const double = page.getByRole("button", { name: "×2 Trials" });
  const halve = page.getByRole("button", { name: "÷2 Trials" });
  for (let i = 0; i < 4; i++) await halve.click();
  for (let i = 0; i < 2; i++) await double.click();
  await settled(page);
  await page.getByText(/From 256 trials/).waitFor();
  await page.waitForTimeout(500);
  await page.getByText(/From 256 trials/).waitFor();
});

test("text that was not shared is offered back", async () => {
  const page = await visitQuick();
  await openText(page);
  await replaceText(page, `${quick()} broken`);
  await page.getByRole("region", { name: "Errors in the scenario" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Bring it back" }).click();
  await page.getByRole("region", { name: "Errors in the scenario" }).waitFor();
  await page.getByRole("button", { name: "Undo restoring the text of an earlier visit" }).click();
  await settled(page);
});

test("the whole journey by keyboard", async () => {
  const page = await visitQuick();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Skip to the answer");
  const tabTo = async (name: RegExp) => {
    for (let i = 0; i < 90; i++) {
      await page.keyboard.press("Tab");
      const found = await page.evaluate(() => {
        const e = document.activeElement;
        const label = e instanceof HTMLInputElement ? (e.labels?.[0]?.textContent ?? "") : "";
        return `${e?.getAttribute("aria-label") ?? ""} ${label} ${e?.textContent ?? ""}`;
      });
      if (name.test(found)) return;
    }
    throw new Error(`no way by Tab to ${name}`);
  };
  await tabTo(/Examples/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Examples" }).waitFor();
  // An example is opened by keys, and undone by keys.
  const { title } = JSON.parse(small);
  await tabTo(/by hand/);
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: title }).waitFor();
  await settled(page);
  await page.keyboard.press("Control+z");
  await page.locator("h1", { hasText: "Quick" }).waitFor();
  await settled(page);
  await tabTo(/Tensor \(tp\)/);
  await tabTo(/Seed/);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("77");
  await page.getByText(/Seed 77\./).waitFor();
  await settled(page);
  // The p95 is said to who does not see it.
  expect(await page.locator("p[role=status]").allInnerTexts()).toContainEqual(
    expect.stringContaining((await lead(page)).split(".")[0]!),
  );
  await tabTo(/Read the histogram at/);
  await page.keyboard.press("ArrowRight");
  await page.getByText(/steps; \d+\.\d\s% have finished by then/).waitFor();
  await tabTo(/Draw the timeline/);
  await page.keyboard.press("Control+z");
  await page.getByText(/Seed 3\./).waitFor();
  await settled(page);
  // Why: a wait on the timeline is found, told and followed to what was waited for.
  await page.keyboard.press("Enter");
  await page.locator("canvas[role]").waitFor({ timeout: 120_000 });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Draw again");
  await tabTo(/^Timeline of the median step/);
  await page.keyboard.press("PageDown");
  const told = page.locator("output.timeline-words");
  const waits = /^Rank 0 waits .* for rank (\d+), whose .* ended at .* to send\. (On|Not on) the path/;
  const [, source] = waits.exec((await told.innerText()).replaceAll(/\s/g, " "))!;
  await page.keyboard.press("Enter");
  await told.getByText(new RegExp(`^Rank ${source}, `)).waitFor();
  // Compare: a study is opened, chosen and played by keys.
  await tabTo(/Open the studies/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Play this study" }).waitFor();
  await page.keyboard.press("Home");
  await tabTo(/Play this study/);
  await page.keyboard.press("Enter");
  await page.getByText(/trials each on the same noise/).waitFor({ state: "attached", timeout: 120_000 });
  // Share is the last button of the header, so the first one backwards; then the link by keys.
  for (let i = 0; i < 250 && !(await page.evaluate(() => document.activeElement?.closest("header.bar"))); i++)
    await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Share this result" }).waitFor();
  await tabTo(/Copy link/);
  await page.keyboard.press("Enter");
  await page.getByText("Copied", { exact: true }).first().waitFor();
  await page.keyboard.press("Escape");
});
