// SPDX-License-Identifier: Apache-2.0
// A Hugging Face config.json on its way into a scenario (core: model_import_json).

import { withBlock, withValue } from "./json";
import type { Diagnostic } from "./result";

export type ModelImport =
  | {
      ok: true;
      /** The `model` object of a scenario. */
      model: Record<string, unknown>;
      /** Every figure, and the key it was read from or why it was taken so. */
      account: { field: string; value: string; from: string }[];
      /** Parts of the file that the model has no place for. */
      left_out: string[];
      /** What each rule makes of the layers; an empty list where its condition is broken. */
      layers: { rule: string; condition: string; layers_per_virtual_stage: number[] }[];
    }
  | { ok: false; errors: Diagnostic[] };

export type ImportedModel = Extract<ModelImport, { ok: true }>;

/** Whether a text is a model's configuration rather than a scenario, by its first characters. */
export const isModelConfig = (head: string): boolean =>
  /^\s*\{/.test(head) &&
  !/"prism(_result)?"\s*:/.test(head) &&
  /"(model_type|architectures|num_hidden_layers|n_layer|text_config)"\s*:/.test(head);

/** Rules that fit the layers: each holds all of them. */
export const fittingRules = (imported: ImportedModel) =>
  imported.layers.filter((l) => l.layers_per_virtual_stage.length > 0);

/** The scenario with this model, its layers spread by a rule. */
export function withModel(text: string, imported: ImportedModel, rule: string): string {
  const spread = withValue(
    text,
    "/parallel/layers_per_virtual_stage",
    // The rule that holds without a word is not written.
    rule === "even" ? undefined : rule,
  );
  return withBlock(spread, "/model", imported.model);
}
