// SPDX-License-Identifier: Apache-2.0
// One import: a worker of its own, so that a long file disturbs no run and ending it is a cancel.
import moduleUrl from "@wasm/evidence.wasm?url";
import type { Found, Rest } from "../base/evidence";
import { compile } from "./compile";
import type { EvidenceReply, EvidenceTask } from "./evidence-messages";

/** Fetched with the first file. */
let module: Promise<WebAssembly.Module> | undefined;

/** Fetches and compiles the reader, as soon as a file is being looked for. */
export function prepareReader() {
  module ??= compile(moduleUrl);
  module.catch(() => {
    module = undefined;
  });
}

export interface Hearing {
  progress(share: number): void;
  found(answer: Found): void;
  /** After `found`, unless that is a refusal. */
  rest(rest: Rest): void;
  /** The answer to `askTimeline`: text of a Chrome trace. */
  timeline(text: string): void;
  failed(message: string): void;
}
export interface Import {
  askTimeline(): void;
  /** Nothing is heard any more. */
  end(): void;
}

export function importFile(file: File, hearing: Hearing): Import {
  const worker = new Worker(new URL("./evidence.worker.ts", import.meta.url), { type: "module" });
  let ended = false;
  const end = () => {
    ended = true;
    worker.terminate();
  };
  const fail = (message: string) => {
    if (ended) return;
    end();
    hearing.failed(message);
  };
  worker.onmessage = ({ data }: MessageEvent<EvidenceReply>) => {
    if (ended) return;
    if (data.type === "progress") hearing.progress(data.share);
    else if (data.type === "found") hearing.found(JSON.parse(data.text) as Found);
    else if (data.type === "rest") hearing.rest(JSON.parse(data.text) as Rest);
    else if (data.type === "timeline") hearing.timeline(data.text);
    else fail(data.message);
  };
  worker.onerror = (event) => fail(event.message || "the reader stopped");
  const ask = (task: EvidenceTask) => worker.postMessage(task);
  prepareReader();
  module!.then(
    (module) => ask({ type: "read", module, file }),
    (error) => fail(error instanceof Error ? error.message : String(error)),
  );
  return { askTimeline: () => ask({ type: "timeline" }), end };
}
