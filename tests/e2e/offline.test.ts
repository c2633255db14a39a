// SPDX-License-Identifier: Apache-2.0
// Kept after one visit as one whole build: works without a network, tells of a newer build, never mixes two, and can
// be made to forget everything. No request leaves the origin, the worker's own included.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium, type Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { address, digest, forge, forgive, quick, root, settled, useBrowser, visit } from "./browser";

useBrowser();

const site = process.env.PRISM_SITE ?? resolve(root, "build/site");
const link = forge(JSON.stringify(JSON.parse(quick())));
const kept = { serviceWorkers: "allow" } as const;

/** Until the set is whole and answers this window. */
const whole = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);
const sets = (page: Page) => page.evaluate(() => caches.keys());

test("without a network after one visit: a link opens, runs, and its result is exported", async () => {
  const page = await visit("/", kept);
  await settled(page);
  await whole(page);
  await page.context().setOffline(true);
  await page.goto(`${address()}/${link}`);
  await page.reload();
  await page.locator("h1", { hasText: "Quick" }).waitFor();
  await settled(page);
  await page.locator(".chart svg").nth(2).waitFor();
  const before = await digest(page);
  await page.getByRole("button", { name: "Draw a new seed" }).click();
  await settled(page);
  expect(await digest(page)).not.toBe(before);
  await page.getByRole("button", { name: "Share" }).click();
  const file = page.waitForEvent("download");
  await page.getByRole("button", { name: "Result, JSON" }).click();
  const result = JSON.parse(readFileSync(await (await file).path(), "utf8"));
  await page.keyboard.press("Escape");
  expect(result.digest).toBe(await digest(page));
  // What the first visit never asked for is there too.
  await page.getByRole("tab", { name: "Text" }).click();
  await page.locator(".cm-content").waitFor();
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("button", { name: /with a pencil/ }).click();
  await page.locator("h1", { hasText: "A step small enough to check by hand" }).waitFor();
});

test("the set holds every file of the build, under one name", async () => {
  const page = await visit(`/${link}`, kept);
  await settled(page);
  await whole(page);
  const names = await sets(page);
  expect(names).toHaveLength(1);
  const held = await page.evaluate(async (name) => {
    const all = await (await caches.open(name)).keys();
    return all.map((request) => new URL(request.url).pathname.slice(1)).sort();
  }, names[0]!);
  const built = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "service-worker.js")
    .map((entry) => join(entry.parentPath, entry.name).slice(site.length + 1))
    .sort();
  expect(held).toEqual(built);
});

test("?reset forgets drafts, theme and the kept set, and shows the page afresh", async () => {
  const page = await visit(`/${link}`, kept);
  await settled(page);
  await whole(page);
  await page.getByRole("button", { name: /^Colours/ }).click();
  await page.getByRole("button", { name: "Draw a new seed" }).click();
  await settled(page);
  expect(await page.evaluate(() => localStorage.length)).toBe(2);
  await page.goto(`${address()}/?reset=1`);
  await page.waitForFunction(() => location.search === "");
  await page.locator("[data-testid=lead]").waitFor();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  // The reset leaves the page that it found while that was still loading.
  forgive(/^request: /);
});

const folder = mkdtempSync(join(tmpdir(), "prism-builds-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a newer build waits, says so, and takes over whole; half a build is never kept", {
  timeout: 120_000,
}, async () => {
  const served = join(folder, "site");
  cpSync(site, served, { recursive: true });
  const { serve } = (await import(resolve(root, ".ci/serve.mjs"))) as {
    serve(o: { site: string; port: number }): Promise<{ server: { close(): void }; port: number }>;
  };
  const { server, port } = await serve({ site: served, port: 0 });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/${link}`);
    await settled(page);
    await whole(page);
    const [old] = await sets(page);
    const notice = page.getByRole("region", { name: "New version" });

    // Half a deployment: the worker is the new build's, one of the files is not what it names.
    const worker = readFileSync(join(served, "service-worker.js"), "utf8");
    const newer = worker.replace(/const build = "\w+"/, 'const build = "newer"');
    writeFileSync(join(served, "service-worker.js"), newer);
    writeFileSync(join(served, "release-notes.txt"), "not the file of the list");
    await page.reload();
    await settled(page);
    await page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistration())?.update().catch(() => {}),
    );
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.installing), {
        timeout: 20_000,
      })
      .toBeNull();
    await expect.poll(() => sets(page), { timeout: 20_000 }).toEqual([old]);
    expect(await notice.count()).toBe(0);

    cpSync(join(site, "release-notes.txt"), join(served, "release-notes.txt"));
    await page.reload();
    await settled(page);
    await notice.waitFor();
    // Until then the window is the old build's.
    expect((await sets(page)).length).toBe(2);
    await notice.getByRole("button", { name: "Reload" }).click();
    await page.waitForFunction(
      async () => (await navigator.serviceWorker.getRegistration())?.waiting === null,
    );
    // The window reloads when the new worker has taken over.
    await expect.poll(() => notice.count(), { timeout: 20_000 }).toBe(0);
    await settled(page);
    expect((await sets(page)).some((name) => name.endsWith(" newer"))).toBe(true);
    expect(await page.locator("h1").innerText()).toBe("Quick");
  } finally {
    await browser.close();
    server.close();
  }
});
