// SPDX-License-Identifier: Apache-2.0
// Builds the native program (build/prism), the WebAssembly modules (build/wasm) and the page (build/site).
// CMake presets say how; Ninja and the check in `site` make a second run short.
import { copyFileSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setup } from "./setup.mjs";
import { isMain, jobs, modified, root, run, say } from "./shell.mjs";

/** Configures one preset. Every time: it takes a second, and a changed preset is otherwise not noticed. */
export function configure(name, options = []) {
  run("cmake", ["--preset", name, "--log-level=WARNING", ...options]);
}

/** Configures and builds one preset: the given targets, or everything. `options` go to CMake. */
export function preset(name, targets = [], options = []) {
  say(`Build: ${name}${targets.length ? ` (${targets.join(" ")})` : ""}`);
  configure(name, options);
  const chosen = targets.length ? ["--target", ...targets] : [];
  run("cmake", ["--build", "--preset", name, "--parallel", jobs, ...chosen]);
}

export function native() {
  preset("native", ["prism"]);
  publish();
}

/** build/prism: the program where the documentation names it, whatever the build folder looks like. */
export function publish() {
  const built = join(root, "build", "native", "core", "cli", "prism");
  const published = join(root, "build", "prism");
  if (modified(published) >= modified(built)) return;
  // By renaming, so that a running program is not written over.
  copyFileSync(built, `${published}.new`);
  renameSync(`${published}.new`, published);
}

const modules = ["prism", "study", "evidence"];

export function wasm() {
  preset(
    "wasm",
    modules.map((name) => `wasm_${name}`),
  );
}

/** Newest modification time below a path. A folder's own time tells of files that were taken away. */
function newest(path) {
  let time = modified(path);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    time = Math.max(
      time,
      entry.isDirectory() ? newest(join(path, entry.name)) : modified(join(path, entry.name)),
    );
  return time;
}

/** The static page, from web/, examples/ and the module. */
export function site() {
  const made = modified(join(root, "build", "site", "index.html"));
  const files = [
    ...modules.flatMap((name) => [`build/wasm/${name}.mjs`, `build/wasm/${name}.wasm`]),
    "wasm/module.d.ts",
    "wasm/study.d.ts",
    "wasm/evidence.d.ts",
    "package.json",
    "package-lock.json",
    "docs/validation.md",
    "docs/glossary.md",
    "core/cli/link_dictionary.txt",
    "CHANGELOG.md",
  ];
  const inputs = [
    ...files.map((file) => modified(join(root, file))),
    ...["web", "examples"].map((folder) => newest(join(root, folder))),
  ];
  if (made > Math.max(...inputs)) return;
  say("Build: page");
  run("npm", ["exec", "--offline", "--", "vite", "build", "web", "--logLevel", "warn"]);
}

export function build() {
  mkdirSync(join(root, "build"), { recursive: true });
  native();
  wasm();
  site();
}

if (isMain(import.meta.url)) {
  setup();
  build();
  console.log("\nbuild/prism is the program, build/site the page (serve it with: npm run serve)");
}
