// SPDX-License-Identifier: Apache-2.0
// All that the page and its workers say to each other. Each message names the run it belongs to; whoever receives
// one of an older run drops it.

import type { Phase } from "../../../wasm/module";
import type { Diagnostic, Plan } from "../base/result";

export type { Phase };

export interface UnitRef {
  phase: Phase;
  unit: number;
}

/** Parts of a phase in unit order. */
export interface Parts {
  trials: Uint8Array[];
  attribution: Uint8Array[];
  check: Uint8Array[];
}

export type ToWorker =
  /** First message: the module, compiled once on the page. */
  | { type: "start"; module: WebAssembly.Module }
  /**
   * Read and compile a scenario; ends whatever the worker did before. `tables`: what another worker has computed for it.
   * `ahead`: goes on to the first units unasked if the whole run takes no more random draws than this.
   */
  | {
      type: "prepare";
      run: number;
      text: string;
      tables?: Uint8Array | undefined;
      ahead?: number | undefined;
    }
  | { type: "learn"; run: number; pilot: Uint8Array[] }
  | { type: "unit"; run: number; phase: Phase; unit: number }
  /** Turn parts into a result document; goes before units that wait. */
  | { type: "finish"; run: number; parts: Parts }
  /** Drop what waits and say when done. */
  | { type: "cancel"; run: number }
  | { type: "presets" };

export type FromWorker =
  | { type: "ready"; version: string }
  | { type: "prepared"; run: number; plan: Plan; warnings: Diagnostic[]; tables: Uint8Array }
  | { type: "refused"; run: number; errors: Diagnostic[] }
  | { type: "part"; run: number; phase: Phase; unit: number; bytes: Uint8Array }
  | { type: "finished"; run: number; text: string }
  | { type: "cancelled"; run: number }
  /** The engine trapped: a bug or too little memory. The worker is not to be used again. */
  | { type: "failed"; message: string }
  | { type: "presets"; text: string };
