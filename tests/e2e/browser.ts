// SPDX-License-Identifier: Apache-2.0
// The built page, served as a static host would, in Debian's Chromium. A console error, a page error, a failed
// request or a request to another host fails the test that met it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

export const root = resolve(import.meta.dirname, "../..");
const site = process.env.PRISM_SITE ?? resolve(root, "build/site");

let browser: Browser;
let server: { close(): void };
let origin = "";
const faults: string[] = [];
const open: { close(): Promise<void> }[] = [];

export function useBrowser() {
  beforeAll(async () => {
    if (!existsSync(`${site}/index.html`)) throw new Error(`no page in ${site}: npm run build makes it`);
    const { serve } = (await import(resolve(root, ".ci/serve.mjs"))) as {
      serve(o: { site: string; port: number }): Promise<{ server: { close(): void }; port: number }>;
    };
    const served = await serve({ site, port: 0 });
    server = served.server;
    origin = `http://127.0.0.1:${served.port}`;
    browser = await chromium.launch({
      executablePath: "/usr/bin/chromium-headless-shell",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });
}

/** A page in a context of its own: no storage, no cache. */
export async function visit(path = "/", options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  open.push(context);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  context.on("request", (request) => {
    const { protocol, origin: host } = new URL(request.url());
    if (host !== origin && protocol !== "blob:" && protocol !== "data:")
      faults.push(`elsewhere: ${request.url()}`);
  });
  // Only where a test is about it: else every visit would fetch the whole page to keep it.
  if (options.serviceWorkers !== "allow")
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "serviceWorker", { get: () => undefined }),
    );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  // Aborted: a test that ends, or goes elsewhere, while something is still being fetched.
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    if (reason !== "net::ERR_ABORTED") faults.push(`request: ${request.url()} ${reason}`);
  });
  await page.goto(origin + path);
  return page;
}

/** Takes back faults that a test provoked itself. */
export function forgive(pattern: RegExp) {
  faults.splice(0, faults.length, ...faults.filter((fault) => !pattern.test(fault)));
}

export const address = () => origin;

/** A scenario with a spread that is computed in a moment; `change` may alter it. */
export function quick(change: (scenario: Record<string, unknown>) => void = () => {}): string {
  const scenario: Record<string, unknown> = {
    prism: 1,
    title: "Quick",
    model: "llama-3.1-405b",
    parallel: { tp: 8, pp: 4, dp: 4, layers_per_virtual_stage: "front" },
    batch: { global: 32, sequence: 8192 },
    cluster: { gpu: "h100-sxm" },
    variability: "dedicated",
    run: { trials: 1024, seed: "3" },
  };
  change(scenario);
  return JSON.stringify(scenario, null, 2);
}

/** A link as anyone could write it: right length and check, any content. */
export const { forge } = (await import(resolve(root, ".ci/link.mjs"))) as {
  forge(scenario: string, engine?: string, digest?: string): string;
};

/** A page that shows the quick scenario's result. */
export async function visitQuick(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await visit(`/${forge(JSON.stringify(JSON.parse(quick())))}`, options);
  await settled(page);
  return page;
}

/** Waits for a whole result of the present settings. */
export async function settled(page: Page, timeout = 45_000): Promise<void> {
  await page.waitForFunction(
    () => {
      const status = document.querySelector(".status p")?.textContent ?? "";
      return /computed here in/.test(status) && !document.querySelector("[data-stale]");
    },
    undefined,
    { timeout },
  );
}

export const lead = async (page: Page) =>
  (await page.locator("[data-testid=lead]").innerText()).replace(/\s*\n\s*/g, " ");

/** The digest that the page shows. */
export async function digest(page: Page): Promise<string> {
  const text = await page.locator("dt:text-is('Digest') + dd code").innerText();
  expect(text).toMatch(/^[0-9a-f]{16}$/);
  return text;
}

/** The text editor's content, through its shadow root. */
export async function openText(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Text" }).click();
  await page.locator(".cm-content").waitFor();
}

/** Types a whole new scenario into the editor. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
