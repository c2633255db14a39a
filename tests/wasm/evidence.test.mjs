// SPDX-License-Identifier: Apache-2.0
// Files of measurements through the module: fed in pieces, answered as JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.mjs";

const module = await load("evidence");
const bytes = (text) => new TextEncoder().encode(text);

function imported(text, piece, kind = "auto") {
  const handle = module.import_begin(kind);
  const all = bytes(text);
  for (let i = 0; i < all.length; i += piece)
    if (!module.import_piece(handle, all.subarray(i, i + piece))) break;
  return module.import_end(handle, "a file");
}

const steps = `seconds\n${Array.from({ length: 60 }, (_, i) => 1 + 0.001 * ((i * 37) % 50)).join("\n")}\n`;

test("the answer does not depend on how a file is cut", () => {
  const answer = imported(steps, 1e6);
  assert.equal(imported(steps, 7), answer);
  const { ok, evidence } = JSON.parse(answer);
  assert.equal(ok, true);
  assert.equal(evidence.kind, "step_times");
  assert.equal(evidence.account.used, 60);
});

test("a trace keeps times that a double cannot hold", () => {
  const event = (ts) => `{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","ts":${ts},"dur":2.001}`;
  const { evidence } = JSON.parse(
    imported(`[${event("1661203462598738.123")},${event("1661203462598740.124")}`, 5),
  );
  assert.equal(evidence.kernels[0].count, 2);
  assert.ok(Math.abs(evidence.kernels[0].median_s - 2.001e-6) < 1e-15);
});

test("what cannot be read is data, and a handle is used once", () => {
  for (const text of ["", "hello", '{"a":1}', "[{]"]) assert.equal(JSON.parse(imported(text, 3)).ok, false);
  const handle = module.import_begin("steps");
  module.import_end(handle, "");
  assert.throws(() => module.import_piece(handle, bytes("1")), { name: "Error", message: /unknown import/ });
  assert.throws(() => module.import_end(handle, ""), { name: "Error", message: /unknown import/ });
});
