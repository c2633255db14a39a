// SPDX-License-Identifier: Apache-2.0
// Files of measurements through the module: fed in pieces, answered as JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import { slowJob } from "../../.ci/slow-job.mjs";
import { load } from "./module.mjs";

const module = await load("evidence");
const bytes = (text) => new TextEncoder().encode(text);

function fed(text, piece, kind = "auto") {
  const handle = module.import_begin(kind);
  const all = bytes(text);
  for (let i = 0; i < all.length; i += piece)
    if (!module.import_piece(handle, all.subarray(i, i + piece))) break;
  return handle;
}

function found(text, piece) {
  const handle = fed(text, piece);
  const answer = module.import_found(handle);
  module.import_end(handle);
  return answer;
}

const steps = `seconds\n${Array.from({ length: 60 }, (_, i) => 1 + 0.001 * ((i * 37) % 50)).join("\n")}\n`;

test("the answer does not depend on how a file is cut", () => {
  const answer = found(steps, 1e6);
  assert.equal(found(steps, 7), answer);
  const { ok, evidence } = JSON.parse(answer);
  assert.equal(ok, true);
  assert.equal(evidence.kind, "step_times");
  assert.equal(evidence.account.used, 60);
});

test("a trace keeps times that a double cannot hold", () => {
  const event = (ts) => `{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","ts":${ts},"dur":2.001}`;
  const { evidence } = JSON.parse(
    found(`[${event("1661203462598738.123")},${event("1661203462598740.124")}`, 5),
  );
  assert.equal(evidence.kernels[0].count, 2);
  assert.ok(Math.abs(evidence.kernels[0].median_s - 2.001e-6) < 1e-15);
});

test("a job is found first; its scenario, its prediction and a step are asked for", () => {
  const handle = fed(slowJob(), 1000);
  const { ok, evidence, ...more } = JSON.parse(module.import_found(handle));
  assert.equal(ok, true);
  assert.deepEqual(more, {});
  assert.ok(evidence.by_type.length > 0 && evidence.workers[1].slow);
  const { scenario, validation, input_error } = JSON.parse(module.import_rest(handle, "a job"));
  assert.equal(JSON.parse(scenario).title, "Measured job: a job");
  assert.equal(input_error.measurements, 12);
  assert.equal(validation.held_out_steps.length, 6);
  const { traceEvents } = JSON.parse(module.import_timeline(handle));
  // 14 operations of two replicas: measured, replayed, ideal.
  assert.equal(traceEvents.filter((e) => e.ph === "X").length, 3 * 2 * 14);
  module.import_end(handle);
  assert.throws(() => module.import_timeline(handle), { name: "Error", message: /unknown import/ });
});

test("what is no job has no more to ask for", () => {
  const handle = fed(steps, 1000);
  module.import_found(handle);
  assert.deepEqual(JSON.parse(module.import_rest(handle, "")), {
    scenario: null,
    validation: null,
    input_error: null,
  });
  assert.equal(module.import_timeline(handle), "");
  module.import_end(handle);
});

test("what cannot be read is data, and a handle is freed once", () => {
  for (const text of ["", "hello", '{"a":1}', "[{]"]) assert.equal(JSON.parse(found(text, 3)).ok, false);
  const handle = module.import_begin("steps");
  module.import_end(handle);
  const unknown = { name: "Error", message: /unknown import/ };
  assert.throws(() => module.import_piece(handle, bytes("1")), unknown);
  assert.throws(() => module.import_found(handle), unknown);
  assert.throws(() => module.import_rest(handle, ""), unknown);
  assert.throws(() => module.import_end(handle), unknown);
});

test("a model's config.json is told with its layers; a fault is data", () => {
  const config = {
    model_type: "llama",
    num_hidden_layers: 126,
    hidden_size: 16384,
    intermediate_size: 53248,
    num_attention_heads: 128,
    num_key_value_heads: 8,
    vocab_size: 128256,
    tie_word_embeddings: false,
  };
  const told = JSON.parse(module.import_model(JSON.stringify(config), 128));
  assert.equal(told.model.layers, 126);
  assert.deepEqual(
    told.layers.map((l) => l.layers_per_virtual_stage.reduce((a, b) => a + b, 0)),
    [0, 126, 126, 126],
  );
  assert.equal(JSON.parse(module.import_model("{", 1)).ok, false);
  assert.throws(() => module.import_model("{}", 0), { name: "Error" });
});
