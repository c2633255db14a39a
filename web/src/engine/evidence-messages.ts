// SPDX-License-Identifier: Apache-2.0
// All that the page and the reader of one file say to each other.

/** First the file to read, then what is asked about it; or a model's config.json, on so many virtual stages. */
export type EvidenceTask =
  | { type: "read"; module: WebAssembly.Module; file: File }
  | { type: "timeline" }
  | { type: "model"; module: WebAssembly.Module; config: string; virtualStages: number };

/** Documents are JSON text. What is found comes before the rest, which a refused file does not have. */
export type EvidenceReply =
  | { type: "progress"; share: number }
  | { type: "found"; text: string }
  | { type: "rest"; text: string }
  | { type: "timeline"; text: string }
  | { type: "model"; text: string }
  | { type: "failed"; message: string };
