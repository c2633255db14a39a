// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { isEvidence } from "../../web/src/base/evidence";
import { fittingRules, type ImportedModel, isModelConfig, withModel } from "../../web/src/base/model-import";

const config = '{\n  "architectures": ["LlamaForCausalLM"],\n  "num_hidden_layers": 126\n}';

const imported: ImportedModel = {
  ok: true,
  model: { layers: 126, hidden: 16384 },
  account: [],
  left_out: [],
  layers: [
    { rule: "even", condition: "layers must divide", layers_per_virtual_stage: [] },
    { rule: "front", condition: "any", layers_per_virtual_stage: [32, 32, 31, 31] },
  ],
};

test("a config.json is told from scenarios, results, traces and logs", () => {
  expect(isModelConfig(config)).toBe(true);
  expect(isModelConfig('{"text_config": {"n_layer": 4}}')).toBe(true);
  expect(isModelConfig('{"prism": 1, "title": "my \\"model_type\\": x"}')).toBe(false);
  expect(isModelConfig('{"prism_result": 1, "num_hidden_layers": 3}')).toBe(false);
  expect(isModelConfig('{"traceEvents": []}')).toBe(false);
  expect(isModelConfig("--num-layers 96")).toBe(false);
  expect(isEvidence("config.json", config.length, config)).toBe(false);
});

test("only rules that keep every layer are offered", () => {
  expect(fittingRules(imported).map((l) => l.rule)).toEqual(["front"]);
});

test("the model takes the place of the one in the text; the rest stays", () => {
  const text = '{ "prism": 1, "model": "llama-3.1-405b", "parallel": { "pp": 4 } }';
  expect(JSON.parse(withModel(text, imported, "front"))).toEqual({
    prism: 1,
    model: { layers: 126, hidden: 16384 },
    parallel: { pp: 4, layers_per_virtual_stage: "front" },
  });
});

test("an even spread takes an older rule or list away", () => {
  const text =
    '{ "prism": 1, "model": "x", "parallel": { "pp": 4, "layers_per_virtual_stage": [1, 2, 3, 4] } }';
  expect(JSON.parse(withModel(text, imported, "even")).parallel).toEqual({ pp: 4 });
});
