// SPDX-License-Identifier: Apache-2.0
import type { PrismModule } from "./prism.mjs";

export type { Phase, PrismModule } from "./prism.mjs";

/** A new instance of the module, with memory of its own. */
export function load(): Promise<PrismModule>;

/**
 * Runs a scenario, an object or JSON text (docs/scenario.md), to its end. The result is the document of
 * docs/result.schema.json; a refused scenario rejects with an Error whose `errors` are its diagnostics.
 */
export function run(scenario: string | object): Promise<Record<string, unknown>>;
