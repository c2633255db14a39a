// SPDX-License-Identifier: Apache-2.0
// A file of measurements on the page: account, heat map, and on to a scenario that runs.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { settled, useBrowser, visitQuick } from "./browser";
import { slowJob } from "./slow-job";

useBrowser();

type Page = Awaited<ReturnType<typeof visitQuick>>;

async function open(page: Page, name: string, content: string | Uint8Array) {
  const path = join(tmpdir(), `prism-e2e-${process.pid}-${name}`);
  writeFileSync(path, content);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open file" }).click();
  await (await chooser).setFiles(path);
}

test("an operator trace names its slow worker and becomes a scenario that runs", async () => {
  const page = await visitQuick();
  await open(page, "job.csv.gz", gzipSync(slowJob()));
  const dialog = page.getByRole("dialog");
  await dialog.getByText("slow worker: replica 1, stage 0").waitFor();
  await dialog.getByText("operator trace, CSV").waitFor();
  expect(await dialog.locator(".heat-map td[data-slow]").count()).toBe(1);
  await dialog.getByText("steps held out").waitFor();
  await dialog.getByRole("button", { name: "Open it as a scenario" }).click();
  await page.locator("h1", { hasText: "Measured job" }).waitFor();
  await settled(page);
});

test("a file that is damaged is refused with one message and nothing changes", async () => {
  const page = await visitQuick();
  const cut = gzipSync(slowJob());
  await open(page, "cut.csv.gz", cut.subarray(0, cut.length / 2));
  await page.getByRole("alert").getByText("damaged or cut off").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator("h1", { hasText: "Quick" }).waitFor();
});
