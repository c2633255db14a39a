// SPDX-License-Identifier: Apache-2.0
// The surface of the WebAssembly module against its hand-written types, and its manners at the boundary.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, prepare, run, runParts } from "./module.mjs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const scenario = read("examples/operators-64-gpu-measured.json");
const module = await load();

test("the module has exactly the calls that module.d.ts declares", () => {
  const [, surface] = read("wasm/module.d.ts").match(/interface PrismModule \{([\s\S]*?)\n\}/);
  const declared = [...surface.matchAll(/^ {2}(\w+)\(([^)]*)\)/gm)].map(([, name, parameters]) => [
    name,
    parameters.split(",").filter((parameter) => parameter.trim() !== "").length,
  ]);
  // Embind checks the number of arguments when it is called: too few or too many throw, naming both numbers.
  for (const [name, count] of declared) {
    assert.equal(typeof module[name], "function", name);
    const tooMany = Array.from({ length: count + 1 }, () => 0);
    assert.throws(() => module[name](...tooMany), new RegExp(`expected ${count} args`), name);
  }
  const bound = read("wasm/bindings.cpp").match(/emscripten::function\("\w+"/g);
  assert.equal(bound.length, declared.length, "every call is declared");
});

test("the version is that of the package", () => {
  assert.equal(module.version(), JSON.parse(read("package.json")).version);
});

test("presets are JSON with the models by name", () => {
  assert.match(JSON.stringify(JSON.parse(module.presets())), /llama-3\.1-405b/);
});

test("a bad scenario is data: errors with a place, and no handle", () => {
  const answer = JSON.parse(module.prepare('{\n  "prism": 1,\n  "modell": 3\n}'));
  assert.equal(answer.ok, false);
  assert.ok(
    answer.errors.some((error) => error.code === "unknown_key" && error.line === 3),
    JSON.stringify(answer),
  );
});

test("text that is no text, empty, or not UTF-8 is refused without harm", () => {
  for (const text of ["", "\0", "null", "[".repeat(100_000), "\ud800", new Uint8Array([0x7b, 0xff, 0xfe])])
    assert.equal(JSON.parse(module.prepare(text)).ok, false);
  assert.equal(prepare(module, scenario).ok, true);
});

test("a wrong call throws an Error that says what is wrong", () => {
  const { handle, plan } = prepare(module, scenario);
  const { units } = plan.phases.find((phase) => phase.name === "trials");
  assert.throws(() => module.run_unit(handle, "trial", 0), { name: "Error", message: /unknown phase trial/ });
  for (const unit of [-1, units, Number.NaN])
    assert.throws(() => module.run_unit(handle, "trials", unit), { name: "Error", message: /no unit/ });
  module.release(handle);
  module.release(handle);
  assert.throws(() => module.run_unit(handle, "trials", 0), { name: "Error", message: /unknown handle/ });
  assert.throws(() => module.finish(handle, [], [], []), { name: "Error", message: /unknown handle/ });
});

test("bytes are copies: later calls and growing memory do not touch them", () => {
  const { jobs, parts } = runParts([module], scenario);
  const first = parts.trials[0];
  const copy = first.slice();
  assert.equal(first.byteOffset, 0);
  assert.equal(first.buffer.byteLength, first.byteLength, "a buffer of its own, not the module's memory");
  run([module], scenario);
  assert.deepEqual(first, copy);
  module.release(jobs[0].handle);
});

test("a prefix of the trials gives a partial result without a digest", () => {
  const { jobs, parts } = runParts([module], scenario);
  const [{ handle }] = jobs;
  const result = JSON.parse(module.finish(handle, parts.trials.slice(0, 1), [], []));
  assert.equal(result.partial, true);
  assert.equal(result.trials, 256);
  assert.equal(result.digest, "");
  module.release(handle);
});

test("handles are independent of each other", () => {
  const other = JSON.parse(scenario);
  other.run = { ...other.run, seed: "987654321" };
  const a = prepare(module, scenario);
  const b = prepare(module, JSON.stringify(other));
  assert.notEqual(a.handle, b.handle);
  const alone = module.run_unit(a.handle, "trials", 0);
  assert.notDeepEqual(module.run_unit(b.handle, "trials", 0), alone);
  module.release(b.handle);
  assert.deepEqual(module.run_unit(a.handle, "trials", 0), alone);
  module.release(a.handle);
});

test("a released handle gives its memory back", async () => {
  const fresh = await load();
  const text = read("examples/llama3-405b-16384-h100.json");
  const memory = () => process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  const once = () => fresh.release(prepare(fresh, text).handle);
  once();
  once();
  const before = memory();
  for (let i = 0; i < 20; ++i) once();
  assert.ok(memory() - before < 8 << 20, `grew by ${memory() - before} bytes in 20 rounds`);
});
