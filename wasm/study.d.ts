// SPDX-License-Identifier: Apache-2.0
// The whole surface of the module that plays studies. Tested against the real module in tests/wasm.

export interface StudyModule {
  /**
   * Plans a study (docs/studies.md). `question` is JSON: `{"study": name, ...}`. JSON: `{"ok": true, "handle": n, "plan":
   * {"study", "axes", "units": [{"name", "at", "work"}], "left_out", "notes"}}` or `{"ok": false, "errors": [...]}`. The
   * same text and question give the same plan on every worker. The question `schedule` (docs/training-run.md) brings its
   * own scenarios; `text` is then not read.
   */
  study_plan(text: string, question: string): string;
  /** Plays all trials of one variant, in any order on any worker. */
  study_unit(handle: number, unit: number): Uint8Array;
  /** The study's document, from the parts of all units in order. */
  study_finish(handle: number, parts: Uint8Array[]): string;
  study_release(handle: number): void;
}

export default function create(options: {
  wasmBinary?: ArrayBuffer | Uint8Array;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => Record<string, never>;
}): Promise<StudyModule>;
