// SPDX-License-Identifier: Apache-2.0
// Every view of the built page, in both themes and at three widths: build/screenshots/<view>-<theme>-<width>.png.
// Names given on the command line choose views.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";
import { root } from "./shell.mjs";
import { views } from "./views.mjs";

const out = join(root, "build", "screenshots");
mkdirSync(out, { recursive: true });
const chosen = process.argv.slice(2);
const { server, port } = await serve({
  site: process.env.PRISM_SITE ?? join(root, "build", "site"),
  port: 0,
});
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu"],
});
const sizes = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];

for (const [name, view] of Object.entries(views)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  for (const viewport of sizes) {
    const context = await browser.newContext({
      viewport,
      hasTouch: viewport.width < 700,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}${view.path}`);
    await view.go(page);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const path = join(out, `${name}-${colorScheme}-${viewport.width}.png`);
      // A dialog covers the window; anything else is looked at from top to bottom.
      await page.screenshot({
        path,
        animations: "disabled",
        fullPage: (await page.getByRole("dialog").count()) === 0,
      });
    }
    await context.close();
  }
  console.log(name);
}
await browser.close();
server.close();
