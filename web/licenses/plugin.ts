// SPDX-License-Identifier: Apache-2.0
// Writes release-notes.txt (the CHANGELOG) and licenses.txt beside the page: the licence of every package that a chunk holds code of (workers have
// chunks of their own and share the list), and of what is compiled into the WebAssembly module.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const here = import.meta.dirname;
/** Folders of the packages met so far in this build. */
const met = new Set<string>();

export function licenses(): Plugin {
  let outDir = "";
  let worker = false;
  return {
    name: "prism-licenses",
    configResolved(config) {
      worker = config.isWorker;
      outDir = resolve(config.root, config.build.outDir);
    },
    buildStart() {
      if (!worker) met.clear();
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds) {
          const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id.replace(/^\0/, ""))?.[0];
          if (folder) met.add(folder);
        }
      }
    },
    writeBundle() {
      if (worker) return;
      writeFileSync(join(outDir, "licenses.txt"), document([...met]));
      copyFileSync(resolve(here, "../../CHANGELOG.md"), join(outDir, "release-notes.txt"));
    },
  };
}

function document(folders: string[]): string {
  const compiled = readdirSync(join(here, "compiled"))
    .sort()
    .map((name) => readFileSync(join(here, "compiled", name), "utf8").trim());
  const packages = folders.map(ofPackage).sort();
  const own = readFileSync(resolve(here, "../../LICENSE"), "utf8").trim();
  const rule = `\n\n${"=".repeat(100)}\n\n`;
  return `${[`Prism\n\n${own}`, ...compiled, ...packages].join(rule)}\n`;
}

function ofPackage(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((f) => /^(licen[cs]e|copying)/i.test(f));
  // A package without its licence's text cannot be shipped: better no build than a wrong file.
  if (!file || !license) throw new Error(`${name} ships no licence text`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
