// SPDX-License-Identifier: Apache-2.0
// The promise of one result: every example has the same digest from the native program and from WebAssembly, however
// many threads or instances share the work, and in whatever order its units are run. PRISM_CLANG=1 adds the program
// built by clang; PRISM_FULL=1 takes 1, 2, 3 and 7 threads and instances and every trial, else 3, against one thread, and
// 4,000 trials at the most. (In browsers: tests/e2e/digests.test.ts.)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load, run, shuffled } from "../wasm/module.mjs";

const path = (relative) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const programs = { gcc: path("build/native/core/cli/prism") };
if (process.env.PRISM_CLANG === "1") programs.clang = path("build/clang/core/cli/prism");
const counts = process.env.PRISM_FULL ? [1, 2, 3, 7] : [3];

const examples = readdirSync(path("examples"))
  .filter(
    (name) => name.endsWith(".json") && "prism" in JSON.parse(readFileSync(path(`examples/${name}`), "utf8")),
  )
  .sort();
const instances = await Promise.all(Array.from({ length: Math.max(...counts) }, load));

function native(program, input, threads) {
  const options = { input, encoding: "utf8", maxBuffer: 64 << 20 };
  return JSON.parse(execFileSync(program, ["run", "-", "--json", "--threads", String(threads)], options))
    .digest;
}

function textOf(name) {
  const scenario = JSON.parse(readFileSync(path(`examples/${name}`), "utf8"));
  if (!process.env.PRISM_FULL) scenario.run.trials = Math.min(scenario.run.trials, 4000);
  return JSON.stringify(scenario);
}

test("there are examples", () => assert.ok(examples.length > 0));

for (const name of examples) {
  test(`${name}: one digest`, () => {
    const text = textOf(name);
    const expected = native(programs.gcc, text, 1);
    assert.match(expected, /^[0-9a-f]{16}$/);
    for (const [compiler, program] of Object.entries(programs))
      for (const threads of counts)
        assert.equal(native(program, text, threads), expected, `${compiler}, ${threads} threads`);
    for (const count of counts) {
      const result = run(instances.slice(0, count), text, (units) => shuffled(units, count));
      assert.equal(result.digest, expected, `WebAssembly, ${count} instances`);
    }
  });
}
