// SPDX-License-Identifier: Apache-2.0
// Accessible in both themes and on narrow screens; nothing sideways; theme before first paint; strict policy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { forgive, root, settled, useBrowser, visit, visitQuick } from "./browser";

useBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All rules, or only those named. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Evaluated by the test's own protocol, which the page's policy does not govern.
  await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    const { axe: engine } = window as unknown as {
      axe: {
        run(options: { runOnly?: string[] }): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const found = await engine.run(runOnly ? { runOnly } : {});
    return found.violations.flatMap((v) =>
      v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary}`),
    );
  }, rules);
}

const { views } = (await import(resolve(root, ".ci/views.mjs"))) as {
  views: Record<string, { path: string; go(page: Page): Promise<void> }>;
};

// On the narrowest screen every view, but of panels alike only the first; on wider ones only those of the main job. The
// full run takes every view at every width.
const all = Object.entries(views);
const alike = ["study-layouts", "study-scaling", "study-placement", "planning-spares", "planning-capacity"];
const unlike = all.filter(([name]) => !alike.includes(name));
const main = all.filter(([name]) => ["start", "result", "error", "share"].includes(name));
const widths: [number, typeof all][] = process.env.PRISM_FULL
  ? [
      [360, all],
      [768, all],
      [1440, all],
    ]
  : [
      [360, unlike],
      [1440, main],
    ];
describe.each(widths)("%i px", (width, chosen) => {
  test.each(chosen)("axe is clean in both themes, nothing scrolls sideways: %s", async (_, view) => {
    const page = await visit(view.path, {
      viewport: { width, height: 800 },
      hasTouch: width < 700,
      reducedMotion: "reduce",
    });
    await view.go(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The other theme differs in its colours only.
      const rules = colorScheme === "dark" && !process.env.PRISM_FULL ? ["color-contrast"] : undefined;
      expect(await violations(page, rules), colorScheme).toEqual([]);
      expect(
        await page.evaluate(() => {
          const dialogs = [...document.querySelectorAll("dialog")].map((d) => d.scrollWidth - d.clientWidth);
          return Math.max(document.documentElement.scrollWidth - innerWidth, ...dialogs);
        }),
      ).toBeLessThanOrEqual(0);
    }
  });
});

test("at 360 px the answer is above the fold and targets are large", async () => {
  const page = await visitQuick({ viewport: { width: 360, height: 640 }, hasTouch: true });
  const bottom = await page.locator("[data-testid=lead]").evaluate((e) => e.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThan(400);
  await page.getByText("Change the scenario").click();
  const small = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        "button, select, input:not([type=radio]):not([type=file]), summary, .choice label",
      ),
    ]
      .filter((e) => e.offsetParent !== null)
      .map((e) => ({ name: e.getAttribute("aria-label") ?? e.textContent, box: e.getBoundingClientRect() }))
      .filter(({ box }) => box.height < 43.5 || box.width < 30)
      .map(({ name, box }) => `${name}: ${Math.round(box.width)} × ${Math.round(box.height)}`),
  );
  expect(small).toEqual([]);
});

test("a chosen theme stands before the first paint", async () => {
  const page = await visitQuick({ colorScheme: "light" });
  await page.getByRole("button", { name: /^Colours/ }).click();
  await page.getByRole("button", { name: /^Colours: light/ }).click();
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await dark()).toBe("rgb(18, 21, 25)");
  await page.reload({ waitUntil: "commit" });
  await page.waitForFunction(() => document.body !== null);
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
});

test("the content policy is the one agreed on", async () => {
  const page = await visit();
  expect(await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content")).toBe(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; manifest-src 'self'; base-uri 'none'; form-action 'none'",
  );
  await settled(page);
  expect(
    await page.evaluate(
      () =>
        new Promise((done) => {
          document.addEventListener("securitypolicyviolation", (e) => done(e.violatedDirective));
          const script = document.createElement("script");
          script.textContent = "window.injected = 1";
          document.body.append(script);
          setTimeout(() => done("nothing refused it"), 1000);
        }),
    ),
  ).toBe("script-src-elem");
  // The violation just provoked is the only console error allowed.
  forgive(/violates the following Content Security Policy/);
});

test("charts have a name, a reading, a table and files that say where they come from", async () => {
  const page = await visitQuick();
  await page.locator(".chart svg").nth(2).waitFor();
  const names = await page
    .locator(".chart [role=img]")
    .evaluateAll((all) => all.map((e) => e.getAttribute("aria-label") ?? ""));
  expect(names).toHaveLength(3);
  for (const name of names) expect(name).toMatch(/^[A-Z][^.]+\. [A-Z].+\.$/);
  for (const type of ["SVG", "CSV"]) {
    const file = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download where the time goes as ${type}` }).click();
    const text = readFileSync(await (await file).path(), "utf8");
    for (const fact of [
      /Title: Quick/,
      /Seed: 3\b/,
      /Engine: Prism \d/,
      /Digest: [0-9a-f]{16}/,
      /Link: http.*#v1\./,
    ])
      expect(text).toMatch(fact);
    if (type === "SVG") {
      const drawn = await page.evaluate((svg) => {
        const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
        return [
          parsed.querySelector("parsererror")?.textContent ?? null,
          parsed.querySelectorAll("rect").length,
          svg.includes("var(--"),
        ];
      }, text);
      expect(drawn).toEqual([null, expect.any(Number), false]);
      expect(drawn[1]).toBeGreaterThan(4);
    } else {
      expect(text).toContain("\r\nkind,class,share,mean_s,standard_error_s,deterministic_s\r\n");
    }
  }
});
