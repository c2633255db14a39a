// SPDX-License-Identifier: Apache-2.0
// The speed table: what the engine does a second beside the least that any engine of its kind must do, and how long a
// person waits. Nothing here passes or fails; on a busy machine only the ratios mean anything.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { preset, publish, site } from "./build.mjs";
import { forge } from "./link.mjs";
import { serve } from "./serve.mjs";
import { setup } from "./setup.mjs";
import { fail, root, say } from "./shell.mjs";

const examples = ["examples/llama3-405b-16384-h100.json", "examples/variability-65536.json"];
const repetitions = 3;

setup({ bench: true });
preset("native", ["prism", "prism_kernels", "prism_kernels_widest", "prism_estimate"], ["-DPRISM_BENCH=ON"]);
preset("wasm");
publish();
site();

function output(command, args, more = {}) {
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8", ...more });
  if (done.status !== 0) fail(`${command} ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

function bestOf(count, work) {
  return Math.min(...Array.from({ length: count }, work));
}

/** Program of tests/bench: what it prints, native and in Node. */
const both = (name) => ({
  native: JSON.parse(output(`build/native/tests/bench/${name}`, [])),
  wasm: JSON.parse(
    output(process.execPath, ["--no-experimental-fetch", `build/wasm/tests/bench/${name}.js`]),
  ),
});

/** Draws a second; native (as for the oldest x86-64, and as the program is) and WebAssembly in turn, the best of each. */
function kernels() {
  const runs = Array.from({ length: repetitions }, () => ({
    ...both("prism_kernels"),
    widest: JSON.parse(output("build/native/tests/bench/prism_kernels_widest", [])),
  }));
  const best = (build, key) => Math.max(...runs.map((r) => r[build][key]));
  return Object.fromEntries(
    ["native", "wasm", "widest"].map((build) => [
      build,
      { bare: best(build, "bare_draws_per_s"), engine: best(build, "engine_draws_per_s") },
    ]),
  );
}

function nativeSeconds(example, engine, count, more = []) {
  return bestOf(count, () => {
    const start = performance.now();
    output("build/prism", ["run", example, "--engine", engine, "--threads", "2", "--json", ...more]);
    return (performance.now() - start) / 1000;
  });
}

/** Chunks a second of all replicas, without what a run costs once: two runs' difference. */
function engineChunks(example) {
  const { engine } = JSON.parse(output("build/prism", ["run", example, "--trials", "1", "--json"]));
  const time = (trials) => nativeSeconds(example, "exact", repetitions, ["--trials", String(trials)]);
  return (engine.tasks * engine.replicas * (1024 - 256)) / (time(1024) - time(256));
}

/** The same chunk model written with numpy, one thread: tests/bench/chunks.py. Undefined where there is no numpy. */
function numpyChunks() {
  const run = () => spawnSync("/usr/bin/python3", ["tests/bench/chunks.py"], { cwd: root, encoding: "utf8" });
  const runs = Array.from({ length: repetitions }, run).filter((r) => r.status === 0);
  return runs.length ? Math.max(...runs.map((r) => JSON.parse(r.stdout).chunks_per_s)) : undefined;
}

/** What `work` makes of the built page in Chromium, opened at `path`. */
async function onPage(path, work) {
  const { chromium } = await import("playwright-core");
  const { server, port } = await serve({ site: resolve(root, "build/site"), port: 0 });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
    ],
  });
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${port}/${path}`);
    await finished(tab);
    return await work(tab);
  } finally {
    await browser.close();
    server.close();
  }
}

const finished = (tab) =>
  tab.waitForFunction(
    () => document.querySelector(".status")?.textContent?.includes("computed here in"),
    undefined,
    { timeout: 120_000 },
  );

/** Seconds from a change (a new seed) to the first numbers and to the finished run, on the page opened there. */
async function changes(tab, example) {
  if (example !== examples[0]) {
    const { title } = JSON.parse(readFileSync(resolve(root, example), "utf8"));
    await tab.setInputFiles("input[type=file]", resolve(root, example));
    await tab.waitForSelector(`h1:has-text("${title}")`);
    await finished(tab);
  }
  const times = [];
  for (let i = 0; i < repetitions + 2; ++i)
    times.push(
      await tab.evaluate(
        () =>
          new Promise((done) => {
            const status = document.querySelector(".status");
            const start = performance.now();
            let first = 0;
            // Old numbers stand under "Computing" until the first new ones: "From the first 256 of 10,000 trials".
            const look = () => {
              const text = status.textContent;
              if (!first && status.dataset.running && text.startsWith("From"))
                first = performance.now() - start;
              if (!first || !text.includes("computed here in")) return;
              observer.disconnect();
              done({ first: first / 1000, whole: (performance.now() - start) / 1000 });
            };
            const observer = new MutationObserver(look);
            observer.observe(status, {
              subtree: true,
              childList: true,
              characterData: true,
              attributes: true,
            });
            document.querySelector('button[aria-label="Run with a new seed"]').click();
          }),
      ),
    );
  return {
    first: Math.min(...times.map((t) => t.first)),
    whole: Math.min(...times.map((t) => t.whole)),
  };
}

/** A node slower by each of 4 factors at each of 16 stages, and none: 65 variants. */
const placed = {
  prism: 1,
  title: "Placement",
  model: "gpt3-175b",
  parallel: { tp: 8, pp: 16, dp: 1 },
  batch: { micro: 1, micro_batches: 32, sequence: 2048 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  run: { trials: 10_000, seed: "1" },
};

function nativePlacement() {
  return bestOf(repetitions, () => {
    const start = performance.now();
    const study = ["study", "placement", "-", "--threads", "2", "--json"];
    output("build/prism", study, { input: JSON.stringify(placed), maxBuffer: 64 << 20 });
    return (performance.now() - start) / 1000;
  });
}

/** The same study by the page's own panel, from the click to its sentence. */
async function pagePlacement(tab) {
  await tab.getByRole("button", { name: "Open the studies" }).click();
  await tab.getByRole("radio", { name: "Where a slow node hurts" }).check();
  await tab.getByRole("radio", { name: "as the scenario" }).check();
  const times = [];
  for (let i = 0; i < repetitions; ++i)
    times.push(
      await tab.evaluate(
        () =>
          new Promise((done) => {
            const button = (name) =>
              [...document.querySelectorAll("button")].find((b) => b.textContent.trim() === name);
            const start = performance.now();
            button("Play this study").click();
            const look = () => {
              if (button("Play this study")) done((performance.now() - start) / 1000);
              else requestAnimationFrame(look);
            };
            requestAnimationFrame(() => requestAnimationFrame(look));
          }),
      ),
    );
  await tab.getByText("10,000 trials each on the same noise").waitFor({ state: "attached" });
  return Math.min(...times);
}

say("Kernels");
const k = kernels();
say("Estimates");
const estimates = both("prism_estimate");
say("Whole runs");
const two = "?workers=2";
const runs = [];
for (const example of examples)
  runs.push({
    title: JSON.parse(readFileSync(resolve(root, example), "utf8")).title,
    fast: nativeSeconds(example, "fast", repetitions),
    exact: nativeSeconds(example, "exact", 1),
    chromium: await onPage(two, (tab) => changes(tab, example)),
  });
say("Placement");
const placement = {
  native: nativePlacement(),
  chromium: await onPage(`${two}${forge(JSON.stringify(placed))}`, pagePlacement),
};
say("The same model in numpy");
const chunks = { engine: engineChunks(examples[1]), numpy: numpyChunks() };

const giga = (x) => `${(x / 1e9).toFixed(x < 1e8 ? 4 : 2)} G/s`;
const percent = (a, b) => `${((100 * a) / b).toFixed(0)} %`;
const milliseconds = (x) => `${x.toFixed(2)} ms`;
const seconds = (x) => `${x.toFixed(2)} s`;
const rows = [
  ["Draws a second, one thread", "native", "WebAssembly (Node)", "WebAssembly / native"],
  ["  bare loop", giga(k.native.bare), giga(k.wasm.bare), percent(k.wasm.bare, k.native.bare)],
  ["  engine", giga(k.native.engine), giga(k.wasm.engine), percent(k.wasm.engine, k.native.engine)],
  ["  engine / bare loop", percent(k.native.engine, k.native.bare), percent(k.wasm.engine, k.wasm.bare), ""],
  ["  engine, widest registers of this machine", giga(k.widest.engine), "", ""],
  ...runs.flatMap((r) => [
    ["", "", "", ""],
    [`${r.title}, 10,000 trials`, "native, 2 threads", "Chromium", ""],
    ["  fast path, best of 3", seconds(r.fast), seconds(r.chromium.whole), percent(r.fast, r.chromium.whole)],
    ["  every replica simulated", seconds(r.exact), "", ""],
    ["  first numbers after a change", "", seconds(r.chromium.first), ""],
  ]),
  ["", "", "", ""],
  ["Placement of a slow node: 16 stages, 4 factors, 10,000 trials", "native, 2 threads", "Chromium", ""],
  [
    "  the whole study, best of 3",
    seconds(placement.native),
    seconds(placement.chromium),
    percent(placement.native, placement.chromium),
  ],
  ["", "", "", ""],
  ["One estimate without variability, 405B", "native", "WebAssembly (Node)", ""],
  ...Object.keys(estimates.native).map((name) => [
    `  ${name}`,
    milliseconds(estimates.native[name]),
    milliseconds(estimates.wasm[name]),
    "",
  ]),
  ["", "", "", ""],
  ["Chunks a second, every replica", "native, 2 threads", "numpy, 1 thread", "native / numpy"],
  [
    `  ${runs[1].title}`,
    giga(chunks.engine),
    chunks.numpy ? giga(chunks.numpy) : "no numpy",
    chunks.numpy ? `${(chunks.engine / chunks.numpy).toFixed(0)} x` : "",
  ],
];
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
console.log(`\n${cpus().length} processors: ${cpus()[0].model}\n`);
for (const row of rows)
  console.log(
    row
      .map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join("  ")
      .trimEnd(),
  );
