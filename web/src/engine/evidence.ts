// SPDX-License-Identifier: Apache-2.0
// Each import has a worker of its own, so that a long file disturbs no run and ending it is a cancel.
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
  const reader = open({
    hear(reply) {
      if (reply.type === "progress") hearing.progress(reply.share);
      else if (reply.type === "found") hearing.found(JSON.parse(reply.text) as Found);
      else if (reply.type === "rest") hearing.rest(JSON.parse(reply.text) as Rest);
      else if (reply.type === "timeline") hearing.timeline(reply.text);
    },
    failed: hearing.failed,
    begin: (module) => ({ type: "read", module, file }),
  });
  return { askTimeline: () => reader.ask({ type: "timeline" }), end: reader.end };
}

/** What the core makes of a model's config.json, JSON. */
export function importModel(config: string, virtualStages: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = open({
      hear(reply) {
        reader.end();
        if (reply.type === "model") resolve(reply.text);
      },
      failed: (message) => reject(new Error(message)),
      begin: (module) => ({ type: "model", module, config, virtualStages }),
    });
  });
}

interface Conversation {
  hear(reply: EvidenceReply): void;
  /** The reader is gone. */
  failed(message: string): void;
  begin(module: WebAssembly.Module): EvidenceTask;
}

function open({ hear, failed, begin }: Conversation) {
  const worker = new Worker(new URL("./evidence.worker.ts", import.meta.url), { type: "module" });
  let ended = false;
  const end = () => {
    ended = true;
    worker.terminate();
  };
  const fail = (message: string) => {
    if (ended) return;
    end();
    failed(message);
  };
  worker.onmessage = ({ data }: MessageEvent<EvidenceReply>) => {
    if (ended) return;
    if (data.type === "failed") fail(data.message);
    else hear(data);
  };
  worker.onerror = (event) => fail(event.message || "the reader stopped");
  const ask = (task: EvidenceTask) => worker.postMessage(task);
  prepareReader();
  module!.then(
    (module) => ask(begin(module)),
    (error) => fail(error instanceof Error ? error.message : String(error)),
  );
  return { ask, end };
}
