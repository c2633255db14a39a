// SPDX-License-Identifier: Apache-2.0
// The whole surface of the module that reads evidence. Tested against the real module in tests/wasm.

export interface EvidenceModule {
  /** Starts reading evidence: "operators", "kineto", "nccl", "megatron", "steps", or "auto". Returns a handle. */
  import_begin(kind: string): number;
  /** The next piece of the file, inflated. False once no more is wanted: import_found then says why. */
  import_piece(handle: number, piece: Uint8Array): boolean;
  /** Once, after the last piece. JSON: `{"ok": true, "evidence": {...}}` or `{"ok": false, "errors": [...]}`. */
  import_found(handle: number): string;
  /**
   * What takes longer than the evidence. JSON:
   * `{"scenario": text | null, "validation": {...} | null, "input_error": {...} | null}`.
   */
  import_rest(handle: number, title: string): string;
  /** A step of an operator trace in the Chrome format, as text; "" for all else. */
  import_timeline(handle: number): string;
  /** Frees the handle. */
  import_end(handle: number): void;
  /**
   * Reads a Hugging Face config.json. JSON: `{"ok": true, "model": {...}, "account": [...], "left_out": [...],
   * "layers": [...]}`, the last over so many virtual stages, or `{"ok": false, "errors": [...]}`.
   */
  import_model(config: string, virtual_stages: number): string;
}

export default function create(options: {
  wasmBinary?: ArrayBuffer | Uint8Array;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => Record<string, never>;
}): Promise<EvidenceModule>;
