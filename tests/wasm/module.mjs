// SPDX-License-Identifier: Apache-2.0
// The built module in Node, and a whole run on it the way the page does one: over several instances, which share
// nothing but bytes, with the units of a phase in any order.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

/** As for the page: PRISM_MODULE names another folder with the modules. */
const folder = pathToFileURL(
  `${process.env.PRISM_MODULE ?? fileURLToPath(new URL("../../build/wasm", import.meta.url))}/`,
);
const built = (name) => new URL(name, folder);

/** A new instance with its own memory, of module "prism", "study" or "evidence". */
export async function load(name = "prism") {
  const { default: create } = await import(built(`${name}.mjs`).href);
  return create({ wasmBinary: readFileSync(fileURLToPath(built(`${name}.wasm`))) });
}

/** The same order for the same seed (an LCG; its quality does not matter here). */
export function shuffled(count, seed) {
  const order = Array.from({ length: count }, (_, i) => i);
  let state = seed >>> 0;
  for (let i = count - 1; i > 0; --i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

export function prepare(module, text) {
  const prepared = JSON.parse(module.prepare(text));
  if (!prepared.ok) throw new Error(`refused: ${JSON.stringify(prepared.errors)}`);
  return prepared;
}

/**
 * The parts of every phase in unit order. `order(units)` says in which order they are run; they are dealt to the
 * instances in turn.
 */
export function runParts(modules, text, order = (units) => Array.from({ length: units }, (_, i) => i)) {
  const jobs = modules.map((module) => ({ module, ...prepare(module, text) }));
  const parts = { pilot: [], trials: [], attribution: [], check: [] };
  for (const { name, units } of jobs[0].plan.phases) {
    order(units).forEach((unit, turn) => {
      const { module, handle } = jobs[turn % jobs.length];
      parts[name][unit] = module.run_unit(handle, name, unit);
    });
    if (name === "pilot" && units > 0)
      for (const { module, handle } of jobs) module.learn(handle, parts.pilot);
  }
  return { jobs, parts };
}

/** The result of a whole run, finished by the last of the instances. */
export function run(modules, text, order) {
  const { jobs, parts } = runParts(modules, text, order);
  const { module, handle } = jobs.at(-1);
  const result = JSON.parse(module.finish(handle, parts.trials, parts.attribution, parts.check));
  for (const job of jobs) job.module.release(job.handle);
  return result;
}
