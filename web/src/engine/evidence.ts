// SPDX-License-Identifier: Apache-2.0
// One import: a worker of its own, so that a long file disturbs no run and ending it is a cancel.
import type { Imported } from "../base/evidence";
import type { ModelImport } from "../base/model-import";
import type { EvidenceReply, EvidenceTask } from "./evidence-messages";
import { engineModule } from "./start";

export interface Import<T> {
  answer: Promise<T>;
  cancel(): void;
}

export function importFile(file: File, progress: (share: number) => void): Import<Imported> {
  return read({ file }, progress);
}

export function importModel(file: File, virtualStages: number): Import<ModelImport> {
  return read({ file, virtualStages }, () => {});
}

function read<T>(task: Omit<EvidenceTask, "module">, progress: (share: number) => void): Import<T> {
  const worker = new Worker(new URL("./evidence.worker.ts", import.meta.url), { type: "module" });
  const answer = new Promise<T>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<EvidenceReply>) => {
      if (data.type === "progress") return progress(data.share);
      worker.terminate();
      if (data.type === "done") done(JSON.parse(data.text) as T);
      else fail(new Error(data.message));
    };
    worker.onerror = (event) => {
      worker.terminate();
      fail(new Error(event.message || "the reader stopped"));
    };
    engineModule().then((module) => worker.postMessage({ module, ...task } satisfies EvidenceTask), fail);
  });
  return { answer, cancel: () => worker.terminate() };
}
