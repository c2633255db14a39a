// SPDX-License-Identifier: Apache-2.0
// docs/scenario.schema.json against the corpus of tests/scenarios: it accepts every good file and sees exactly the
// faults of shape that the manifest says it can see. The core sees them all (tests/core/scenario_corpus_test.cpp).
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(resolve(root, path), "utf8").replace(/^\uFEFF/, "");
const json = (path: string) => JSON.parse(read(path));

interface Manifest {
  good: { file: string; schema: boolean | null }[];
  /** schema: whether the schema alone refuses it; null where the file is no scenario text that it could be asked about. */
  bad: { file: string; code: string; schema: boolean | null }[];
}
const manifest: Manifest = json("tests/scenarios/manifest.json");
const examples: { file: string }[] = json("examples/index.json");
const validate = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: false,
}).compile(json("docs/scenario.schema.json"));

const good = [
  ...manifest.good.filter((g) => g.schema !== null).map((g) => `tests/scenarios/good/${g.file}`),
  ...examples.map((e) => `examples/${e.file}`),
];
test.each(good)("accepts %s", (path) => {
  expect(validate(json(path)), JSON.stringify(validate.errors)).toBe(true);
});

const bad = manifest.bad.filter((b) => b.schema !== null);
test.each(bad.filter((b) => b.schema).map((b) => b.file))("refuses %s", (file) => {
  expect(validate(json(`tests/scenarios/bad/${file}`))).toBe(false);
});
test.each(bad.filter((b) => !b.schema).map((b) => b.file))("leaves %s to the core", (file) => {
  expect(validate(json(`tests/scenarios/bad/${file}`)), JSON.stringify(validate.errors)).toBe(true);
});

test("sees most faults of shape", () => {
  expect(bad.filter((b) => b.schema).length).toBeGreaterThan(60);
});
