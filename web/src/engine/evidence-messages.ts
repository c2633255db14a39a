// SPDX-License-Identifier: Apache-2.0
// All that the page and the reader of one file say to each other.

export interface EvidenceTask {
  module: WebAssembly.Module;
  file: File;
}
export type EvidenceReply =
  | { type: "progress"; share: number }
  | { type: "done"; text: string }
  | { type: "failed"; message: string };
