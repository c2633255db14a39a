// SPDX-License-Identifier: Apache-2.0
// One study: workers of its own that take variants one by one. Parts are kept by unit number, so the order of answers
// changes nothing. Ending the workers is a cancel.
import type { Diagnostic } from "../base/result";
import type { Study, StudyUnit } from "../base/study";
import type { StudyReply, StudyTask } from "./study-messages";

export class StudyRefused extends Error {
  constructor(readonly errors: Diagnostic[]) {
    super(errors[0]?.message ?? "it is refused");
  }
}

export interface StudyWorker {
  postMessage(message: StudyTask, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<StudyReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface RunningStudy {
  answer: Promise<Study>;
  cancel(): void;
}

export interface StudyStart {
  text: string;
  question: object;
  module: Promise<WebAssembly.Module>;
  size: number;
  spawn: () => StudyWorker;
  progress: (share: number) => void;
}

export function startStudy({ text, question, module, size, spawn, progress }: StudyStart): RunningStudy {
  const workers: StudyWorker[] = [];
  let stopped = false;
  const stop = () => {
    stopped = true;
    for (const worker of workers) worker.terminate();
  };
  const answer = new Promise<Study>((done, fail) => {
    let units: StudyUnit[] = [];
    let next = 0;
    let work = 0;
    let worked = 0;
    let missing = 0;
    const parts: Uint8Array[] = [];
    const end = (error: Error) => {
      stop();
      fail(error);
    };
    const hand = (worker: StudyWorker) => {
      if (next < units.length) worker.postMessage({ type: "unit", unit: next++ });
    };
    const hear = (worker: StudyWorker, reply: StudyReply) => {
      switch (reply.type) {
        case "planned":
          if (units.length === 0) {
            units = reply.units;
            missing = units.length;
            work = units.reduce((sum, unit) => sum + unit.work, 0);
          }
          return hand(worker);
        case "part":
          parts[reply.unit] = reply.bytes;
          worked += units[reply.unit]!.work;
          progress(work > 0 ? worked / work : 1);
          missing--;
          if (missing === 0) return worker.postMessage({ type: "finish", parts });
          return hand(worker);
        case "finished":
          stop();
          return done(JSON.parse(reply.text) as Study);
        case "refused":
          return end(new StudyRefused(reply.errors));
        case "failed":
          return end(new Error(reply.message));
      }
    };
    module.then((compiled) => {
      // A cancel may come while the module is still on its way.
      if (stopped) return;
      for (let i = 0; i < size; i++) {
        const worker = spawn();
        workers.push(worker);
        worker.onmessage = ({ data }) => hear(worker, data);
        worker.onerror = (event) => end(new Error(event.message || "a worker stopped"));
        worker.postMessage({
          type: "plan",
          module: compiled,
          text,
          question: JSON.stringify(question),
        });
      }
    }, end);
  });
  return { answer, cancel: stop };
}
