// SPDX-License-Identifier: Apache-2.0
// Writes service-worker.js beside the page, with the list of all files of the build and a name made of their hashes.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";

const hash = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");

export function offline(): Plugin {
  let outDir = "";
  return {
    name: "prism-offline",
    apply: "build",
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    // When every other file is written.
    closeBundle() {
      const worker = join(outDir, "service-worker.js");
      const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".map"))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => path !== worker)
        .map((path) => [relative(outDir, path).replaceAll(sep, "/"), hash(readFileSync(path))])
        .sort();
      const list = JSON.stringify(files);
      const text = readFileSync(resolve(import.meta.dirname, "service-worker.js"), "utf8");
      writeFileSync(
        worker,
        text.replace("__BUILD__", hash(text + list).slice(0, 16)).replace("__FILES__", list),
      );
    },
  };
}
