// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { licenses } from "./licenses/plugin.ts";
import { offline } from "./offline/plugin.ts";

const root = resolve(import.meta.dirname, "..");

/** Asks for the engine with the page itself, not only when the script that needs it has arrived. */
function preloadEngine(): Plugin {
  return {
    name: "prism-preload",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const engine = Object.keys(bundle ?? {}).find((name) => /prism-[^/]*\.wasm$/.test(name));
        if (!engine) return [];
        const attrs = {
          rel: "preload",
          href: `./${engine}`,
          as: "fetch",
          type: "application/wasm",
          crossorigin: "",
        };
        return [{ tag: "link", attrs, injectTo: "head" }];
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page works below any path of any static host.
  base: "./",
  resolve: {
    alias: {
      "@wasm": process.env.PRISM_MODULE ?? resolve(root, "build/wasm"),
      "d3-geo": resolve(import.meta.dirname, "src/charts/no-maps.ts"),
    },
  },
  build: {
    outDir: resolve(root, "build/site"),
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari17.5"],
    // Everything is a file of its own: the content policy allows no data: scripts, and sizes stay visible.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // What the first load shares with panels that come later is one file: the bundler would make it five.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", test: /src\/(app\/(context|state)|ui\/icons|base\/(format|sentences))\.tsx?$/ },
          ],
        },
      },
    },
  },
  worker: { format: "es", plugins: () => [licenses()] },
  plugins: [licenses(), preloadEngine(), offline()],
  server: { fs: { allow: [root] } },
});
