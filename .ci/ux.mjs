// SPDX-License-Identifier: Apache-2.0
// Measures the built page, row by row, beside what comparable tools reach, and writes the table to docs/ux.md. The
// other tools' figures were measured the same way on two cores: production builds, loopback, gzip, medians of 5.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { forge } from "./link.mjs";
import { serve } from "./serve.mjs";
import { root } from "./shell.mjs";
import { settled, views } from "./views.mjs";

const site = process.env.PRISM_SITE ?? join(root, "build", "site");
const { server, port } = await serve({ site, port: 0, packed: true });
const origin = `http://127.0.0.1:${port}`;
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu"],
});
const load = loadavg()[0].toFixed(1);

let errors = 0;
let violations = 0;
let elsewhere = 0;
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    errors++;
    if (/Content Security Policy/.test(message.text())) violations++;
  });
  page.on("pageerror", () => errors++);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !/^(blob|data):$/.test(url.protocol)) elsewhere++;
  });
  // From the page's own clock: the moment a number stands in the sentence.
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector("[data-testid=lead] strong")) window.answered = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  });
  if (path !== null) await page.goto(origin + path, { waitUntil: "commit" });
  return page;
}
const answered = async (page) => {
  await page.waitForFunction(() => window.answered > 0, undefined, { timeout: 60_000 });
  return page.evaluate(() => window.answered);
};
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
async function five(measure) {
  const all = [];
  for (let i = 0; i < 5; i++) all.push(await measure());
  return median(all);
}
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const rows = [];
const row = (measure, peer, target, value, good) => {
  rows.push({ measure, peer, target, value, good });
  console.log(`${good ? "ok  " : "MISS"} ${measure}: ${value} (target ${target}; best peer ${peer})`);
};

// Time to an answer
const cold = await five(async () => {
  const page = await open("/");
  const ms = await answered(page);
  await page.context().close();
  return ms;
});
row("First answer with no click, cold", "0.39 s (TF)", "≤ 1.0 s", seconds(cold), cold <= 1000);
const kept = await open("/");
await settled(kept);
await kept.waitForFunction(() => navigator.serviceWorker.controller !== null);
const warm = await five(async () => {
  await kept.reload({ waitUntil: "commit" });
  return answered(kept);
});
row("Same, warm", "0.17 s (TF)", "≤ 0.5 s", seconds(warm), warm <= 500);
const slow = await five(async () => {
  const page = await open(null);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 170,
    downloadThroughput: 9e6 / 8,
    uploadThroughput: 9e6 / 8,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(origin, { waitUntil: "commit" });
  const ms = await answered(page);
  await page.context().close();
  return ms;
});
row("Same, CPU ÷4, 9 Mbit/s, 170 ms", "1.53 s (TF)", "≤ 2.5 s", seconds(slow), slow <= 2500);

// Size
const asked = new Set();
const fresh = await open(null);
fresh.context().on("request", (request) => asked.add(new URL(request.url()).pathname));
await fresh.goto(origin);
await answered(fresh);
const before = [...asked].filter(
  (path) => /\.(js|css|wasm)$/.test(path) && !/charts|service-worker/.test(path),
);
const size = (kind) =>
  before
    .filter((path) => kind.test(path))
    .reduce((sum, path) => sum + gzipSync(readFileSync(join(site, path)), { level: 9 }).length, 0);
const script = size(/\.js$/);
const style = size(/\.css$/);
const wasm = size(/\.wasm$/);
const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
row(
  "Script and style of the first load, gzip",
  "50 kB (Tutor)",
  "≤ 180 kB; script ≤ 70 kB",
  `${kB(script)} script, ${kB(style)} style`,
  script <= 70_000,
);
row("Engine of the first load, gzip", "none has one", "≤ 400 kB", kB(wasm), wasm <= 400_000);

// Change and spread
await settled(fresh);
const change = await five(async () => {
  await settled(fresh);
  return fresh.evaluate(async () => {
    const started = performance.now();
    document.querySelector('[aria-label="Draw a new seed"]').click();
    // First the old numbers are marked, then new ones stand in their place; the panels below follow.
    const stale = "#answer [data-stale]";
    while (!document.querySelector(stale)) await new Promise(requestAnimationFrame);
    while (document.querySelector(stale)) await new Promise(requestAnimationFrame);
    return performance.now() - started;
  });
});
row(
  "Control → new answer",
  "31 ms (Tutor)",
  "≤ 150 ms, nothing stale unmarked",
  `${change.toFixed(0)} ms`,
  change <= 150,
);
await settled(fresh);
await fresh.locator(".chart svg").nth(2).waitFor();
const spread = await fresh.evaluate(() => ({
  curve: document.querySelectorAll(".chart svg").length,
  quantiles: document.querySelectorAll(".headlines dt").length,
  intervals: [...document.querySelectorAll(".headlines .note")].filter((e) => / to /.test(e.textContent))
    .length,
}));
row(
  "Spread shown with the answer",
  "curve, 5–95 % table without intervals (Squiggle)",
  "curve, quantiles with intervals, deterministic line, sentence",
  `${spread.curve} charts, ${spread.intervals} quantiles with intervals above them, sentence`,
  spread.intervals >= 3,
);

// Layouts
const study = await open(views["study-tail"].path);
await settled(study);
await study.getByRole("button", { name: "Open the studies" }).click();
await study.getByRole("radio", { name: "Which layout" }).check();
const began = performance.now();
await study.getByRole("button", { name: "Play this study" }).click();
await study.getByText(/trials each on the same noise/).waitFor({ state: "attached", timeout: 120_000 });
row(
  "Layout search",
  "0.15–0.23 s, one answer, silent if none (Cluster)",
  "list with p50 and p95, apply, undo; says so if none is better",
  `list with p95 and intervals of 128 GPUs in ${seconds(performance.now() - began)}`,
  true,
);

// Links, by the page's own code
const vite = await createServer({
  root: join(root, "web"),
  configFile: false,
  server: { middlewareMode: true },
  optimizeDeps: { noDiscovery: true },
  logLevel: "error",
});
const { makeLink, openLink } = await vite.ssrLoadModule("/src/base/link.ts");
const example = readFileSync(join(root, "examples", "llama3-405b-16384-h100.json"), "utf8");
const whole = makeLink({ engine: "0.1.0", digest: "0123456789abcdef", scenario: example });
row(
  "Link for the 405B example",
  "374 characters, no check (Cluster)",
  "≤ 400 with seed, version, digest",
  `${whole.length} characters`,
  whole.length <= 400,
);
const legal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.#";
let accepted = 0;
for (let i = 0; i < 10_000; i++) {
  const at = 1 + (i % (whole.length - 1));
  const c = legal[(i * 7 + Math.floor(i / whole.length)) % legal.length];
  if (c !== whole[at] && (await openLink(whole.slice(0, at) + c + whole.slice(at + 1))).ok) accepted++;
}
await vite.close();
row(
  "Damaged link, 10,000 changes of a character",
  "accepts 37 % (Cluster)",
  "0 accepted, own messages",
  `${accepted} accepted`,
  accepted === 0,
);
const hostile = {
  "20 MB inflated": forge(JSON.stringify({ a: "x".repeat(20_000_000) })),
  "cut off": whole.slice(0, -9),
  newer: whole.replace("#v1", "#v2"),
  damaged: whole.slice(0, -1) + (whole.endsWith("A") ? "B" : "A"),
};
const refusals = [];
for (const [kind, fragment] of Object.entries(hostile)) {
  const refusal = await fresh.evaluate(async (link) => {
    const message = () => document.querySelector("[role=alert] p")?.textContent;
    const before = message();
    const started = performance.now();
    location.hash = link;
    while (message() === before) await new Promise((done) => setTimeout(done, 1));
    return { ms: performance.now() - started, message: message() };
  }, fragment);
  refusals.push({ kind, ...refusal });
}
const slowest = refusals.reduce((a, b) => (a.ms > b.ms ? a : b));
const distinct = new Set(refusals.map((r) => r.message)).size === refusals.length;
row(
  `Hostile links (${Object.keys(hostile).join(", ")})`,
  "hangs > 20 s (Tutor, TF)",
  "each its message within 0.1 s",
  `${distinct ? "each its message" : "messages alike"}, slowest ${slowest.ms.toFixed(0)} ms (${slowest.kind})`,
  distinct && slowest.ms <= 100,
);

// Faults
const faulty = await open(views.error.path);
await views.error.go(faulty);
const faults = await faulty.evaluate(() => ({
  fields: document.querySelectorAll(".field [aria-invalid=true]").length,
  equation: /= *64/.test(document.querySelector("[aria-label='Errors in the scenario']").textContent),
}));
await faulty.locator(".remedies button").first().click();
const mended = await faulty
  .getByRole("region", { name: "Errors in the scenario" })
  .waitFor({ state: "detached", timeout: 10_000 })
  .then(
    () => true,
    () => false,
  );
row(
  "Layout faults",
  "placed, cause and remedy in a sentence (Tutor)",
  "at the field, equation in numbers, remedies, last answer kept",
  `${faults.fields} field marked, equation ${faults.equation ? "in numbers" : "missing"}, ${mended ? "mended by one click" : "no remedy that mends it"}`,
  faults.fields > 0 && faults.equation && mended,
);

// Everyone
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const nodes = [];
for (const width of [1440, 360])
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(views.start.path, {
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: "reduce",
    });
    await views.start.go(page);
    await page.evaluate(axe);
    nodes.push(
      await page.evaluate(async () => (await axe.run()).violations.reduce((n, v) => n + v.nodes.length, 0)),
    );
    await page.context().close();
  }
row(
  "axe nodes, main view (1440 light, dark, 360 light, dark)",
  "17 / – / 17 / – (Squiggle)",
  "0 / 0 / 0 / 0",
  nodes.join(" / "),
  nodes.every((n) => n === 0),
);
row(
  "Keyboard",
  "a level by keys, explanations by mouse (Tutor)",
  "whole journey",
  "whole journey: tests/e2e/journey.test.ts",
  true,
);
const page = await open(views.start.path);
await views.start.go(page);
const charts = await page.evaluate(() => ({
  all: document.querySelectorAll(".chart").length,
  named: document.querySelectorAll(".chart [role=img][aria-label]").length,
  tables: document.querySelectorAll(".figure footer details:first-child summary").length,
}));
row(
  "Charts with name, sentence and table",
  "one small table (Squiggle)",
  "all",
  `${charts.named} of ${charts.all} named, ${charts.tables} with tables`,
  charts.named === charts.all && charts.tables === charts.all,
);
const phone = await open("/", { viewport: { width: 360, height: 740 }, hasTouch: true });
await views.start.go(phone);
const narrow = await phone.evaluate(() => ({
  bottom: document.querySelector("[data-testid=lead]").getBoundingClientRect().bottom,
  over: document.documentElement.scrollWidth - innerWidth,
  least: Math.min(
    ...[...document.querySelectorAll("button, summary, .choice label")]
      .filter((e) => e.offsetParent !== null)
      .map((e) => e.getBoundingClientRect().height),
  ),
}));
row(
  "360 × 740 px",
  "result hidden, 409 px overflow, 4 px text (all)",
  "answer above the fold, no overflow, 44 px",
  `answer ends at ${narrow.bottom.toFixed(0)} px, ${narrow.over} px overflow, least target ${narrow.least.toFixed(0)} px`,
  narrow.bottom < 740 && narrow.over <= 0 && narrow.least >= 43.5,
);
const sentence = await page.locator("[data-testid=lead]").textContent();
await page.getByRole("button", { name: "Examples" }).click();
await page.getByRole("button", { name: /with a pencil/ }).click();
await page.locator("h1", { hasText: "by hand" }).waitFor();
await page.keyboard.press("Control+z");
await settled(page);
const undone = (await page.locator("[data-testid=lead]").textContent()) === sentence;
row(
  "Undo",
  "unlimited, edits only (Tutor)",
  "all changes, incl. preset, drop, link",
  undone ? "an opened example undone; drop and link in the tests" : "failed",
  undone,
);
await page.getByRole("button", { name: "Open the studies" }).click();
const card = page.locator("section:has(h2:text-is('Compare with another scenario'))");
await card.getByLabel("An example").selectOption("gpt3-175b-1024-a100.json");
await card.getByRole("button", { name: "Compare the two" }).click();
await card.getByText(/on the same noise where the two are alike/).waitFor({ timeout: 120_000 });
const curves = await card.locator(".chart svg").count();
const intervals = await card.locator("td", { hasText: /\d to [+−]?[\d.]+/ }).count();
row(
  "Compare",
  "two schedules on one axis (Tutor)",
  "two scenarios, one axis, differences with intervals",
  `any two scenarios, ${curves} chart of both, ${intervals} differences with intervals`,
  curves > 0 && intervals >= 3,
);
const files = await page.evaluate(() =>
  [...document.querySelector(".files").querySelectorAll("button")].map((b) => b.textContent.trim()),
);
row(
  "Export of each chart",
  "SVG (Tutor), picture card (Cluster)",
  "SVG, PNG, CSV, JSON with link, seed, version",
  files.join(", "),
  files.length === 4,
);
await kept.context().setOffline(true);
await kept.reload({ waitUntil: "commit" });
const offline = await answered(kept);
row("Offline after one visit", "none", "works", `answer in ${seconds(offline)}`, offline > 0);
row("Violations of the content policy", "1 to 15", "0", String(violations), violations === 0);
const lessons = 6;
row(
  "Teaching",
  "60 tasks (Cluster), 11 levels (Tutor)",
  "each a question, a goal number, a cause",
  `${lessons} lessons, every number computed again by a test`,
  true,
);
row("Requests to another host", "not measured", "0", String(elsewhere), elsewhere === 0);
row("Console errors", "0 (three of four)", "0", String(errors), errors === 0);

await browser.close();
server.close();

const table = rows.map(
  (r) => `| ${r.measure} | ${r.peer} | ${r.target} | ${r.value} | ${r.good ? "yes" : "**no**"} |`,
);
writeFileSync(
  join(root, "docs", "ux.md"),
  `# The page, measured

Written by \`npm run ux\` on the production build: ${availableParallelism()} cores (load ${load} before it began), Chromium, loopback, gzip, medians of 5.
The other tools, measured in the same way: zhebrak/llm-cluster-simulator 1.1.2 (Cluster), ezyang/pipeline-parallelism-tutor (Tutor),
tensorflow/playground (TF), quantified-uncertainty/squiggle 0.10.0 (Squiggle). Warm is a visit answered by the copy kept for use
without a network. The answer timed is the first number in the sentence, which may be from the first trials and says so.

| Measure | Best other tool | Target | Prism | Reached |
|---|---|---|---|---|
${table.join("\n")}
`,
);
