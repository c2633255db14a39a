// SPDX-License-Identifier: Apache-2.0
// All that the page and the workers of one study say to each other.
import type { Diagnostic } from "../base/result";
import type { StudyUnit } from "../base/study";

export type StudyTask =
  | { type: "plan"; module: WebAssembly.Module; text: string; question: string }
  | { type: "unit"; unit: number }
  | { type: "finish"; parts: Uint8Array[] };
export type StudyReply =
  | { type: "planned"; units: StudyUnit[] }
  | { type: "refused"; errors: Diagnostic[] }
  | { type: "part"; unit: number; bytes: Uint8Array }
  | { type: "finished"; text: string }
  | { type: "failed"; message: string };
