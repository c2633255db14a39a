// SPDX-License-Identifier: Apache-2.0
// Every bad scenario of the corpus, opened as a file: the error at its line and column, the last result kept.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { lead, root, settled, useBrowser, visitQuick } from "./browser";

useBrowser();

const folder = resolve(root, "tests/scenarios");
const { bad } = JSON.parse(readFileSync(resolve(folder, "manifest.json"), "utf8")) as {
  bad: { file: string; line: number; column: number; pointer: string }[];
};

test("there are bad scenarios", () => expect(bad.length).toBeGreaterThanOrEqual(40));

// In two lots: Undo keeps 200 steps, and goes back through all of a lot.
const half = Math.ceil(bad.length / 2);
test.each([
  ["first half", bad.slice(0, half)],
  ["second half", bad.slice(half)],
])(
  "each bad scenario shows one clear error at its place and keeps the last result: %s",
  async (_, lot) => {
    const page = await visitQuick();
    const before = await lead(page);
    const wrong: string[] = [];
    for (const { file, line, column, pointer: place } of lot) {
      // The page opens a result as its scenario, laid out anew.
      const pointer = place.replace(/^\/scenario/, "");
      await page.locator("input[type=file]").setInputFiles(resolve(folder, "bad", file));
      const found = await page
        .waitForFunction(
          ({ line, column, pointer }) => {
            const places = [...document.querySelectorAll(".notice.error li")].map((li) => ({
              place: `${li.querySelector("button")?.textContent ?? ""} `,
              message: li.querySelector("span")?.textContent ?? "",
            }));
            // A file that is no text never reaches the core; its place is told where the answer would stand.
            const refused = document.querySelector("[role=alert]")?.textContent ?? "";
            if (refused.includes(`Line ${line}:${column}:`)) return refused;
            const hit = places.find(
              ({ place }) => place.includes(`Line ${line}:${column} `) && place.includes(pointer),
            );
            return hit?.message || null;
          },
          { line, column, pointer },
          { timeout: 5000 },
        )
        .then(
          (handle) => handle.jsonValue(),
          () => null,
        );
      if (!found) {
        const shown = await page.locator(".notice.error").allInnerTexts();
        wrong.push(
          `${file}: expected ${line}:${column} ${pointer}, shown ${shown.join(" | ").slice(0, 200)}`,
        );
      }
      const back = page.getByRole("button", { name: "Back to what was here" });
      if (await back.isVisible()) await back.click();
      if ((await lead(page)) !== before) wrong.push(`${file}: the last result is gone`);
    }
    expect(wrong).toEqual([]);
    expect(await page.locator("[data-stale]").count()).toBeGreaterThan(0);
    for (let i = 0; i < lot.length && (await page.locator("[data-stale]").count()) > 0; i++)
      await page.keyboard.press("Control+z");
    await settled(page);
    expect(await lead(page)).toBe(before);
  },
  120_000,
);
