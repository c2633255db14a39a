// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  heat,
  isEvidence,
  type OperatorEvidence,
  operatorSentence,
  quantilePairs,
} from "../../web/src/base/evidence";

test("measurements are told from scenarios by name, size or first characters", () => {
  expect(isEvidence("AR.csv.gz", 10, "\u001f\ufffd")).toBe(true);
  expect(isEvidence("steps.csv", 10, "run,step,seconds")).toBe(true);
  expect(isEvidence("trace.json", 10, '{"schemaVersion":1,"traceEvents":[')).toBe(true);
  expect(isEvidence("bare.json", 10, '[{"ph":"X"}')).toBe(true);
  expect(isEvidence("rows.json", 10, '[{"dp_rank":0,"optype":"gc"}')).toBe(true);
  expect(isEvidence("big.json", 9_000_000, '{"deviceProperties":[')).toBe(true);
  expect(isEvidence("log.txt", 10, "# out-of-place algbw busbw")).toBe(true);
  expect(isEvidence("scenario.json", 10, '{ "prism": 1, "operators": [] }')).toBe(false);
  expect(isEvidence("result.json", 9_000_000, '{"prism_result":1')).toBe(false);
  expect(isEvidence("broken.json", 10, '{ "modell": 3 }')).toBe(false);
  expect(isEvidence("link.txt", 10, "https://x/#v1.2-3.abc")).toBe(false);
});

test("heat begins above the median and ends at half as much again", () => {
  expect([0.8, 1, 1.25, 1.5, 2.5].map(heat)).toEqual([0, 0, 0.5, 1, 1]);
});

test("a Q–Q plot pairs values of the same rank", () => {
  const same = quantilePairs([3, 1, 2], [1, 2, 3]);
  expect(same).toEqual([
    { observed: 1, predicted: 1 },
    { observed: 2, predicted: 2 },
    { observed: 3, predicted: 3 },
  ]);
  const many = quantilePairs([10], [1, 2, 3, 4]);
  expect(many[0]!.predicted).toBeCloseTo(2.5, 12);
});

test("the first sentence says who is slow, or what, or that nothing is", () => {
  const worker = {
    replica: 0,
    stage: 0,
    rank: 0,
    forward_s: 1,
    backward_s: 2,
    forward: 1,
    backward: 1,
    slowdown: 1,
  };
  const base = {
    measured_s: [40, 42],
    healthy_s: 20.5,
    slowdown: 1.9,
    by_type: [
      { group: "optimizer", slowdown: 1.01 },
      { group: "backward-compute", slowdown: 1.6 },
    ],
    workers: [
      { ...worker, slow: false },
      { ...worker, replica: 2, stage: 1, slow: true },
    ],
  } as unknown as OperatorEvidence;
  expect(operatorSentence(base)).toBe(
    "The job is 2.00 times slower than without its slow worker: replica 2, stage 1.",
  );
  const healthy = { ...base, workers: [{ ...worker, slow: false }], healthy_s: null };
  expect(operatorSentence(healthy)).toContain("1.90 times its ideal, most of it from backward-compute");
  expect(operatorSentence({ ...healthy, slowdown: 1.02, by_type: [] })).toContain("no slow-down to explain");
});
