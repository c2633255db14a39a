// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { defineConfig } from "vite";
import { licenses } from "./licenses/plugin.ts";

const root = resolve(import.meta.dirname, "..");

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page works below any path of any static host.
  base: "./",
  resolve: { alias: { "@wasm": process.env.PRISM_MODULE ?? resolve(root, "build/wasm") } },
  build: {
    outDir: resolve(root, "build/site"),
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari17.5"],
    // Everything is a file of its own: the content policy allows no data: scripts, and sizes stay visible.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  worker: { format: "es", plugins: () => [licenses()] },
  plugins: [licenses()],
  server: { fs: { allow: [root] } },
});
