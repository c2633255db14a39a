// SPDX-License-Identifier: Apache-2.0
// Studies in the module: the same bytes over any number of instances in any order, and the digest of the native program
// where there is one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load, shuffled } from "./module.mjs";

const scenario = JSON.stringify({
  prism: 1,
  model: "gpt3-175b",
  parallel: { tp: 8, pp: 4, dp: 2, sequence_parallel: true },
  batch: { micro: 1, micro_batches: 8, sequence: 2048 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  run: { trials: 256, seed: "5" },
});
const program = fileURLToPath(new URL("../../build/native/core/cli/prism", import.meta.url));

function play(modules, question, order, asked = scenario) {
  const plans = modules.map((module) => {
    const planned = JSON.parse(module.study_plan(asked, JSON.stringify(question)));
    assert.ok(planned.ok, JSON.stringify(planned.errors));
    return { module, ...planned };
  });
  const parts = [];
  order(plans[0].plan.units.length).forEach((unit, turn) => {
    const { module, handle } = plans[turn % plans.length];
    parts[unit] = module.study_unit(handle, unit);
  });
  const { module, handle } = plans.at(-1);
  const text = module.study_finish(handle, parts);
  for (const plan of plans) plan.module.study_release(plan.handle);
  return text;
}

const questions = [
  [{ study: "sensitivity" }, []],
  [{ study: "placement", slow: [1.2] }, ["--slow", "1.2"]],
  [{ study: "scaling", gpus: [32, 64, 512] }, ["--gpus", "32,64,512"]],
  [{ study: "compare", most: 3 }, ["--most", "3"]],
  [{ study: "timeline", masses: [0.25, 0.95] }, ["--quantiles", "0.25,0.95"]],
  [{ study: "scale-variability", times: [0, 2] }, ["--times", "0,2"]],
  [
    { study: "sweep", pointer: "/batch/micro_batches", values: [4, 16] },
    ["--at", "/batch/micro_batches", "--values", "4,16"],
  ],
];

for (const [question, options] of questions)
  test(`${question.study}: the same bytes on one instance and on two, and natively`, async () => {
    const [a, b] = [await load("study"), await load("study")];
    const one = play([a], question, (n) => Array.from({ length: n }, (_, i) => i));
    assert.equal(
      play([a, b], question, (n) => shuffled(n, 7)),
      one,
    );
    if (!existsSync(program)) return;
    const native = execFileSync(program, ["study", question.study, "-", "--json", ...options], {
      input: scenario,
      encoding: "utf8",
    });
    assert.equal(JSON.parse(native).digest, JSON.parse(one).digest);
  });

const planned = JSON.stringify({
  ...JSON.parse(scenario),
  training_run: {
    steps: 20000,
    runs: 64,
    failures: { causes: [{ name: "any", per_day: 24, detection_min: 2, restart_min: 5, replacement: 1 }] },
    checkpoint: { every: "best", write_s: 20 },
    spares: { nodes: 1, repair_h: 2 },
  },
});
for (const question of [
  { study: "checkpoint" },
  { study: "spares", within_days: 2, most: 4 },
  { study: "capacity", within_days: 2 },
])
  test(`planning, ${question.study}: the same bytes on one instance and on two`, async () => {
    const [a, b] = [await load("study"), await load("study")];
    const one = play([a], question, (n) => Array.from({ length: n }, (_, i) => i), planned);
    assert.equal(
      play([a, b], question, (n) => shuffled(n, 7), planned),
      one,
    );
    const answer = JSON.parse(one);
    if (existsSync(program)) {
      const options = Object.entries(question).flatMap(([key, value]) =>
        key === "study" ? [] : [`--${key.replaceAll("_", "-")}`, String(value)],
      );
      const native = execFileSync(program, ["study", question.study, "-", "--json", ...options], {
        input: planned,
      });
      assert.equal(native.toString().trim(), one, "the native program's document");
    }
    if (answer.curve) {
      assert.ok(answer.curve.points.length >= 6);
      assert.ok(Math.abs(answer.curve.best_interval_s / answer.curve.exact_interval_s - 1) < 0.5);
    } else {
      assert.ok(answer.capacity.candidates.length >= 3);
    }
  });

test("planning, schedule: the same bytes on one instance and on two, and natively", async () => {
  const run = (title, steps) => {
    const scenario = JSON.parse(planned);
    return { ...scenario, title, training_run: { ...scenario.training_run, steps } };
  };
  const scenarios = [run("Long", 40_000), run("Short", 10_000)];
  const days = [4, 1];
  const question = {
    study: "schedule",
    runs: scenarios.map((scenario, i) => ({ scenario, deadline_days: days[i] })),
  };
  const [a, b] = [await load("study"), await load("study")];
  const one = play([a], question, (n) => Array.from({ length: n }, (_, i) => i), "");
  assert.equal(
    play([a, b], question, (n) => shuffled(n, 7), ""),
    one,
  );
  const { by_p95, scheduled } = JSON.parse(one);
  assert.deepEqual(
    by_p95.places.map((place) => scheduled[place.run].name),
    ["Short", "Long"],
  );
  if (!existsSync(program)) return;
  const folder = mkdtempSync(join(tmpdir(), "prism-schedule-"));
  try {
    const files = scenarios.map((scenario) => {
      const file = join(folder, `${scenario.title}.json`);
      writeFileSync(file, JSON.stringify(scenario));
      return file;
    });
    const options = ["study", "schedule", ...files, "--deadline-days", days.join(), "--json"];
    assert.equal(execFileSync(program, options, { encoding: "utf8" }).trim(), one);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a schedule that is refused says which run", async () => {
  const module = await load("study");
  const runs = [{ scenario: JSON.parse(scenario), deadline_days: 3 }];
  const refused = JSON.parse(module.study_plan("", JSON.stringify({ study: "schedule", runs })));
  assert.equal(refused.ok, false);
  assert.equal(refused.errors[0].pointer, "/runs/0/scenario");
});

test("a planning question needs a training run and a deadline", async () => {
  const module = await load("study");
  assert.equal(JSON.parse(module.study_plan(scenario, '{"study":"checkpoint"}')).ok, false);
  assert.equal(JSON.parse(module.study_plan(planned, '{"study":"spares"}')).ok, false);
});

test("a wrong question is data, a wrong call an error", async () => {
  const module = await load("study");
  const refused = JSON.parse(module.study_plan(scenario, '{"study":"magic"}'));
  assert.equal(refused.ok, false);
  assert.equal(refused.errors[0].code, "unknown_name");
  assert.throws(() => module.study_unit(999, 0), /unknown study/);
});
