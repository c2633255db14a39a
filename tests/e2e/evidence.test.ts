// SPDX-License-Identifier: Apache-2.0
// A file of measurements on the page: account, heat map, and on to a scenario that runs.
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { address, digest, root, settled, useBrowser, visit, visitQuick } from "./browser";

useBrowser();

const { slowJob } = (await import(resolve(root, ".ci/slow-job.mjs"))) as { slowJob(): string };

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
  const rows = slowJob().trim().split("\n").length - 1;
  await dialog.getByText(`operator trace, CSV: ${rows} records, ${rows} used.`).waitFor();
  // Replica 1 is the second row of the only stage, and it computes half as long again.
  const slow = dialog.locator(".heat-map td[data-slow]");
  expect(await slow.count()).toBe(1);
  expect(await slow.innerText()).toMatch(/^1\.5\d? slow$/);
  expect(await slow.locator("..").locator("th").innerText()).toBe("1");
  await dialog.getByText("steps held out").waitFor();
  // Every table and chart has its files, which name the measurements.
  const csv = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download compute of each worker as CSV" }).click();
  const workers = readFileSync(await (await csv).path(), "utf8");
  expect(workers).toContain(`# Records: ${rows}, ${rows} used\r\n`);
  expect(workers).toContain("\r\nrank,replica,stage,forward_over_median,backward_over_median,slow\r\n");
  await dialog.locator(".chart svg").waitFor();
  const svg = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download q–q plot as SVG" }).click();
  expect(readFileSync(await (await svg).path(), "utf8")).toMatch(/job\.csv\.gz: operator trace, CSV/);
  await dialog.getByRole("button", { name: "Open it as a scenario" }).click();
  await page.locator("h1", { hasText: "Measured job" }).waitFor();
  await settled(page);

  // The slow worker stays slow in the scenario: the made-up steps take 18.73 s on average.
  const text = await page.locator("main").innerText();
  expect(Number(/p50, median\s+([\d.]+)/.exec(text)?.[1])).toBeCloseTo(18.73, 1);
  await page.getByText("Input error is another matter: 12 other measured steps").waitFor();

  // The link carries the distributions, or the dialog says that it is too long and offers the file.
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Scenario, JSON" }).waitFor();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  if (link.length > 2000) await page.getByText("programs cut links of this length").waitFor();
  await page.keyboard.press("Escape");
  const other = await visit(link.slice(address().length));
  await other.getByText("Reproduced exactly.").waitFor();
  expect(await digest(other)).toBe(await digest(page));
});

test("the answers are there before the prediction and the scenario", async () => {
  const page = await visitQuick();
  // The reader's later word is held back until it is let go.
  await page.evaluate(() => {
    const held: (() => void)[] = [];
    const scope = window as unknown as { letGo(): void };
    scope.letGo = () => {
      for (const say of held.splice(0)) say();
    };
    window.Worker = class extends Worker {
      override set onmessage(hear: (event: MessageEvent) => void) {
        super.onmessage = (event) =>
          event.data.type === "rest" ? held.push(() => hear(event)) : hear(event);
      }
    };
  });
  await open(page, "job.csv", slowJob());
  const dialog = page.getByRole("dialog");
  await dialog.getByText("slow worker: replica 1, stage 0").waitFor();
  await dialog.getByRole("table", { name: "What each replica alone does" }).waitFor();
  await dialog.getByRole("status").getByText("Predicting held-out steps").waitFor();
  const scenario = dialog.getByRole("button", { name: "Open it as a scenario" });
  expect(await scenario.isDisabled()).toBe(true);
  expect(await scenario.getAttribute("title")).toContain("held-out steps are predicted");
  // A step needs neither.
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "A step for Perfetto" }).click();
  const step = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect(step.traceEvents.filter((e: { ph: string }) => e.ph === "X").length).toBe(3 * 2 * 14);
  const place = await dialog.locator(".heat-map").boundingBox();
  await page.evaluate(() => (window as unknown as { letGo(): void }).letGo());
  await dialog.getByText("steps held out").waitFor();
  expect(await scenario.isEnabled()).toBe(true);
  expect(await dialog.getByRole("status").count()).toBe(0);
  expect(await dialog.locator(".heat-map").boundingBox()).toEqual(place);
});

test("a file that is damaged is refused with one message and nothing changes", async () => {
  const page = await visitQuick();
  const cut = gzipSync(slowJob());
  await open(page, "cut.csv.gz", cut.subarray(0, cut.length / 2));
  await page.getByRole("alert").getByText("damaged or cut off").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator("h1", { hasText: "Quick" }).waitFor();
});

/** Megabytes that the pages of this process's browsers hold. */
function megabytesHeld(): number {
  const processes = readdirSync("/proc").flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const page = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer");
      return [{ pid, parent, megabytes: page ? (Number(rest[19]) * 4096) / 2 ** 20 : 0 }];
    } catch {
      return []; // ended meanwhile, or no process
    }
  });
  const below = (parent: string): number =>
    processes
      .filter((one) => one.parent === parent)
      .reduce((sum, one) => sum + one.megabytes + below(one.pid), 0);
  return below(String(process.pid));
}

test.runIf(process.env.PRISM_FULL)(
  "a trace of 300 MB is read in bounded memory",
  async () => {
    const path = join(tmpdir(), `prism-e2e-${process.pid}-large.json`);
    const file = openSync(path, "w");
    writeSync(file, '{"traceEvents":[');
    const events = 2_100_000;
    for (let i = 0; i < events; i += 1000) {
      const some = Array.from({ length: 1000 }, (_, j) => {
        const name =
          j % 4 === 0 ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)" : "sm90_gemm";
        return `{"ph":"X","cat":"kernel","name":"${name}","pid":0,"tid":7,"ts":${(i + j) * 100},"dur":${50 + (j % 37)},"args":{"stream":7,"device":0,"external id":${i + j}}}`;
      });
      writeSync(file, (i > 0 ? "," : "") + some.join(","));
    }
    writeSync(file, "]}");
    closeSync(file);
    const page = await visitQuick();
    await settled(page);
    const before = megabytesHeld();
    expect(before).toBeGreaterThan(20);
    let most = before;
    const looks = setInterval(() => {
      most = Math.max(most, megabytesHeld());
    }, 200);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file" }).click();
    await (await chooser).setFiles(path);
    await page
      .getByRole("dialog")
      .getByText(`${events.toLocaleString("en")} records`)
      .waitFor({ timeout: 120_000 });
    clearInterval(looks);
    rmSync(path);
    console.log(`300 MB: ${Math.round(most - before)} MB more than the ${Math.round(before)} MB before`);
    expect(most - before).toBeLessThan(300);
  },
  240_000,
);
