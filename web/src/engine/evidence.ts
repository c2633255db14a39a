// SPDX-License-Identifier: Apache-2.0
// One import: a worker of its own, so that a long file disturbs no run and ending it is a cancel.
import moduleUrl from "@wasm/evidence.wasm?url";
import type { Imported } from "../base/evidence";
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

export interface Import {
  answer: Promise<Imported>;
  cancel(): void;
}

export function importFile(file: File, progress: (share: number) => void): Import {
  const worker = new Worker(new URL("./evidence.worker.ts", import.meta.url), { type: "module" });
  const answer = new Promise<Imported>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<EvidenceReply>) => {
      if (data.type === "progress") return progress(data.share);
      worker.terminate();
      if (data.type === "done") done(JSON.parse(data.text) as Imported);
      else fail(new Error(data.message));
    };
    worker.onerror = (event) => {
      worker.terminate();
      fail(new Error(event.message || "the reader stopped"));
    };
    prepareReader();
    module!.then((module) => worker.postMessage({ module, file } satisfies EvidenceTask), fail);
  });
  return { answer, cancel: () => worker.terminate() };
}
