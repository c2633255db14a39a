// SPDX-License-Identifier: Apache-2.0
// The whole surface of the module that reads evidence. Tested against the real module in tests/wasm.

export interface EvidenceModule {
  /** Starts reading evidence: "operators", "kineto", "nccl", "megatron", "steps", or "auto". Returns a handle. */
  import_begin(kind: string): number;
  /** The next piece of the file, inflated. False once no more is wanted: import_end then says why. */
  import_piece(handle: number, piece: Uint8Array): boolean;
  /**
   * JSON: `{"ok": true, "evidence": {...}, "scenario": text | null, "validation": {...} | null, "timeline": text | null}`
   * or `{"ok": false, "errors": [...]}`. Frees the handle.
   */
  import_end(handle: number, title: string): string;
}

export default function create(options: {
  wasmBinary?: ArrayBuffer | Uint8Array;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => Record<string, never>;
}): Promise<EvidenceModule>;
