// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { licenses } from "./licenses/plugin.ts";
import { offline } from "./offline/plugin.ts";

const root = resolve(import.meta.dirname, "..");

/**
 * Asks for the engine and the page's script with the page itself, not only when the script that needs them has arrived;
 * and before the script that must run first, or that one would keep them waiting.
 */
function preload(): Plugin {
  return {
    name: "prism-preload",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (!bundle) return [];
        const files = Object.values(bundle);
        const page = files.find((file) => file.type === "chunk" && file.name === "mount");
        const isEntry = (name: string) =>
          files.some((f) => f.fileName === name && f.type === "chunk" && f.isEntry);
        const engine = files.find((file) => /prism-[^/]*\.wasm$/.test(file.fileName));
        if (page?.type !== "chunk" || !engine)
          throw new Error("the page's script or its engine has another name");
        const wasm = { rel: "preload", as: "fetch", type: "application/wasm", crossorigin: "" };
        const script = { rel: "modulepreload", crossorigin: "" };
        const tags = [
          { tag: "link", attrs: { ...wasm, href: `./${engine.fileName}` } },
          ...[page.fileName, ...page.imports.filter((name) => !isEntry(name))].map((name) => ({
            tag: "link",
            attrs: { ...script, href: `./${name}` },
          })),
          { tag: "script", attrs: { src: "./early.js" } },
        ].map((tag) => ({ ...tag, injectTo: "head" as const }));
        return { html: html.replace('<script src="./early.js"></script>', ""), tags };
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
            {
              name: "shared",
              test: /src\/(app\/(browser|context|state)|ui\/icons|base\/(exports|format|json|sentences)|charts\/palette)\.tsx?$|jsonc-parser/,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es", plugins: () => [licenses()] },
  plugins: [licenses(), preload(), offline()],
  server: { fs: { allow: [root] } },
});
