// SPDX-License-Identifier: Apache-2.0
// Takes the README's picture of the built page again: docs/img/page.png. Run it when the page has changed its looks.
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";
import { root } from "./shell.mjs";

const { server, port } = await serve({
  site: process.env.PRISM_SITE ?? join(root, "build", "site"),
  port: 0,
});
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
await page.goto(`http://127.0.0.1:${port}/`);
await page.waitForFunction(() =>
  /computed here in/.test(document.querySelector(".status p")?.textContent ?? ""),
);
await page.locator(".chart svg").first().waitFor();
await page.screenshot({ path: join(root, "docs", "img", "page.png"), animations: "disabled" });
await browser.close();
server.close();
