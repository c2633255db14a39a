// SPDX-License-Identifier: Apache-2.0
// The promise of one result, in browsers: the page shows the digest that the native program prints, in Chromium and in
// a stock Firefox (driven by WebDriver BiDi), with any number of workers. PRISM_FULL=1 takes every example and 1, 2, 3
// and 7 workers; else one small scenario and one example.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { launch } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { address, digest, forge, quick, root, settled, useBrowser, visit } from "./browser";

const firefox = "/usr/bin/firefox-esr";
const full = process.env.PRISM_FULL === "1";
const minutes = 60_000;

const folder = resolve(root, "examples");
const examples = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, text: readFileSync(resolve(folder, name), "utf8") }))
  .filter(({ text }) => "prism" in JSON.parse(text));
const scenarios = [
  { name: "a small scenario", text: quick() },
  ...(full ? examples : examples.filter(({ name }) => name === "variability-1024.json")),
];
const workers = full ? [1, 2, 3, 7] : [2];

const native = (text: string): string =>
  JSON.parse(
    execFileSync(resolve(root, "build/prism"), ["run", "-", "--json"], {
      input: text,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    }),
  ).digest;

useBrowser();

/** Starts what a link does not start by itself. */
const runButton = "button:not([disabled])";

describe.each(scenarios)("$name", ({ text }) => {
  const path = (count: number) => `/?workers=${count}${forge(JSON.stringify(JSON.parse(text)))}`;

  test.each(workers)("Chromium, %i workers", { timeout: 10 * minutes }, async (count) => {
    const page = await visit(path(count));
    const run = page.getByRole("button", { name: "Run", exact: true });
    await Promise.race([settled(page, 9 * minutes), run.click().then(() => settled(page, 9 * minutes))]);
    expect(await digest(page)).toBe(native(text));
  });

  test.skipIf(!existsSync(firefox))("Firefox, 2 workers", { timeout: 10 * minutes }, async () => {
    const browser = await launch({ browser: "firefox", executablePath: firefox, headless: true });
    try {
      const page = await browser.newPage();
      await page.goto(address() + path(2));
      const shown = await page.evaluate(async (selector) => {
        const find = () => [...document.querySelectorAll("dt")].find((dt) => dt.textContent === "Digest");
        for (;;) {
          await new Promise((done) => setTimeout(done, 100));
          const code = find()?.nextElementSibling?.querySelector("code");
          if (code && !document.querySelector("[data-stale]")) return code.textContent;
          const buttons = [...document.querySelectorAll<HTMLButtonElement>(selector)];
          buttons.find((button) => button.textContent?.trim() === "Run")?.click();
        }
      }, runButton);
      expect(shown).toBe(native(text));
    } finally {
      await browser.close();
    }
  });
});
