// SPDX-License-Identifier: Apache-2.0
// The core for other programs: the module, and a whole run on it. In Node, and in browsers behind any bundler that
// understands `new URL(…, import.meta.url)`.
import create from "./prism.mjs";

const url = new URL("./prism.wasm", import.meta.url);

/** The module (types in prism.d.mts): for units spread over workers, partial results, samples. */
export async function load() {
  if (url.protocol !== "file:") return create({ wasmBinary: await (await fetch(url)).arrayBuffer() });
  const { readFile } = await import("node:fs/promises");
  return create({ wasmBinary: await readFile(url) });
}

/**
 * Runs a scenario, an object or JSON text, to its end. The result is the document that `prism run --json` prints; a
 * scenario that the core refuses rejects with an Error whose `errors` are its diagnostics.
 */
export async function run(scenario) {
  const module = await load();
  const text = typeof scenario === "string" ? scenario : JSON.stringify(scenario);
  const prepared = JSON.parse(module.prepare(text));
  if (!prepared.ok) throw Object.assign(new Error(prepared.errors[0].message), { errors: prepared.errors });
  const { handle, plan } = prepared;
  const parts = { pilot: [], trials: [], attribution: [], check: [] };
  for (const { name, units } of plan.phases) {
    for (let unit = 0; unit < units; unit++) parts[name].push(module.run_unit(handle, name, unit));
    if (name === "pilot" && units > 0) module.learn(handle, parts.pilot);
  }
  return JSON.parse(module.finish(handle, parts.trials, parts.attribution, parts.check));
}
