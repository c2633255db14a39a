// SPDX-License-Identifier: Apache-2.0
// The whole surface of the module that runs scenarios. Tested against the real module in tests/wasm.

/** Phases of a run, in order. Units of one phase may run in any order on any worker. */
export type Phase = "pilot" | "trials" | "attribution" | "check";

export interface PrismModule {
  /** Engine version, e.g. "0.1.0". */
  version(): string;
  /** JSON: all presets with contents and sources. */
  presets(): string;
  /**
   * Reads, checks and compiles a scenario (or a result document).
   * JSON: `{"ok": true, "handle": n, "plan": {...}, "warnings": [...]}` or `{"ok": false, "errors": [...]}`.
   */
  prepare(text: string): string;
  /** Runs one unit; the bytes are a copy outside WebAssembly memory. */
  run_unit(handle: number, phase: Phase, unit: number): Uint8Array;
  /** Gives a handle all pilot parts, in unit order. Needed on every worker before any other phase if the plan has pilot units. */
  learn(handle: number, pilot: Uint8Array[]): void;
  /** The result document, from any prefix of the trial parts, and from all or none of the other two phases' parts. */
  finish(handle: number, trials: Uint8Array[], attribution: Uint8Array[], check: Uint8Array[]): string;
  /** Raw step times, seconds, of the given trial parts in trial order: little-endian float64. */
  samples(handle: number, trials: Uint8Array[]): Uint8Array;
  /**
   * What preparing has computed since the last call and another worker of this build need not compute again. Never
   * needed, and never a part of any result.
   */
  take_tables(): Uint8Array;
  /** What take_tables() of another worker gave; anything else throws. */
  learn_tables(tables: Uint8Array): void;
  /** Frees a handle. */
  release(handle: number): void;
}

export default function create(options: {
  wasmBinary?: ArrayBuffer | Uint8Array;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => Record<string, never>;
}): Promise<PrismModule>;
