// SPDX-License-Identifier: Apache-2.0
// The built site as files: sizes, licences, and that it names no other host to fetch from.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "./browser";

const site = process.env.PRISM_SITE ?? resolve(root, "build/site");
const files = readdirSync(site, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const packed = (path: string) => gzipSync(readFileSync(path), { level: 9 }).length;
const scripts = files.filter((f) => f.endsWith(".js") && !f.endsWith("service-worker.js"));
const sum = (list: string[]) => list.reduce((total, f) => total + packed(f), 0);

describe("sizes, gzip", () => {
  // What is loaded before the first sentence: everything but what is imported when it is needed.
  const later =
    /\/(baseline|brought|card|charts|compare|editor|embed|evidence|glossary|lessons?|lesson-list|lesson-panel|markdown|model-import|picture|planning|run-charts|schedule|share|study|studies|text-dialog|timeline|training|use-study|use-width|validation)[-.][^/]*\.js$/;
  // The list of the gallery is no example: its name is that of the page's own script.
  const examples = readdirSync(resolve(root, "examples"))
    .filter((name) => name !== "index.json")
    .map((name) => name.replace(/\.json$/, ""));
  const isExample = (path: string) => examples.some((name) => basename(path).startsWith(`${name}-`));
  test("first load: at most 70 kB of script", () => {
    const first = scripts.filter((f) => !later.test(f) && !isExample(f));
    expect(first.length).toBeLessThan(7);
    expect(sum(first)).toBeLessThanOrEqual(70_000);
  });
  test("all: at most 330 kB of script", () => expect(sum(scripts)).toBeLessThanOrEqual(330_000));
  test("engine: at most 400 kB, and nothing else of WebAssembly but studies and the reader of evidence", () => {
    const modules = files.filter((f) => f.endsWith(".wasm"));
    const engine = modules.filter((f) => basename(f).startsWith("prism-"));
    expect(engine).toHaveLength(1);
    expect(packed(engine[0]!)).toBeLessThanOrEqual(400_000);
    expect(modules.filter((f) => !engine.includes(f)).map((f) => basename(f).split("-")[0])).toEqual([
      "evidence",
      "study",
    ]);
  });
});

test("Plot and the editor are not among the files of the first load", () => {
  const page = readFileSync(join(site, "index.html"), "utf8");
  expect(page).not.toMatch(/charts-|editor-/);
  const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map((match) => match[1]!);
  expect(first.map((name) => basename(name).split("-")[0])).toEqual(
    expect.arrayContaining(["index", "mount", "shared"]),
  );
  for (const name of first) {
    const text = readFileSync(join(site, name), "utf8");
    expect(text, name).not.toMatch(/import\s*[^("']*["'][^"']*(charts|editor)-/);
  }
});

test("no file asks for anything from another host", () => {
  for (const file of files.filter((f) => /\.(html|js|css)$/.test(f))) {
    const text = readFileSync(file, "utf8");
    const asked =
      text.match(
        /(?:\b(?:fetch|import|Worker|importScripts)\(\s*|\b(?:src|href)=|url\()["'`]?https?:[^"'`)\s]+/g,
      ) ?? [];
    expect(asked, file).toEqual([]);
  }
});

test("licenses.txt names every package that ships, and what the engine is compiled from", async () => {
  // The list is made from the chunks' modules; this looks at the source maps of a build of its own instead.
  const out = mkdtempSync(join(tmpdir(), "prism-licenses-"));
  try {
    await build({
      root: resolve(root, "web"),
      configFile: resolve(root, "web/vite.config.ts"),
      logLevel: "error",
      build: { outDir: out, emptyOutDir: true, sourcemap: true },
    });
    const maps = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".map"));
    expect(maps.some((f) => f.includes("worker"))).toBe(true);
    const shipped = new Set<string>();
    for (const map of maps) {
      const { sources } = JSON.parse(readFileSync(join(out, map), "utf8")) as { sources: string[] };
      for (const source of sources) {
        const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
        if (name) shipped.add(name);
      }
    }
    expect([...shipped]).toEqual(
      expect.arrayContaining(["preact", "fflate", "jsonc-parser", "@observablehq/plot", "@codemirror/view"]),
    );
    for (const text of [
      readFileSync(join(out, "licenses.txt"), "utf8"),
      readFileSync(join(site, "licenses.txt"), "utf8"),
    ]) {
      for (const name of shipped)
        expect(text).toMatch(new RegExp(`^${name.replaceAll("/", "\\/")} \\d+\\.\\d+\\.\\d+\\S* \\(`, "m"));
      for (const part of [
        "libc++",
        "musl",
        "compiler-rt",
        "Emscripten",
        "JSON for Modern C++",
        "PCG",
        "dlmalloc",
        "Apache License",
      ])
        expect(text).toContain(part);
    }
  } finally {
    rmSync(out, { recursive: true });
  }
});
