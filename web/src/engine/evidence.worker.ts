// SPDX-License-Identifier: Apache-2.0
// Reads a model; or one file of evidence as a stream: inflated on the way if it is gzip, fed to the engine piece by
// piece, never whole in memory. Ended by the page to cancel.

import create, { type EvidenceModule } from "@wasm/evidence.mjs";
import type { EvidenceReply, EvidenceTask } from "./evidence-messages";

/** A file of a few kilobytes can inflate to terabytes. */
const inflated_limit = 4_000_000_000;

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (message: EvidenceReply) => scope.postMessage(message);

class Refusal extends Error {}

async function startsAsGzip(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** The file that was read, of which more can be asked. */
let held: { engine: EvidenceModule; handle: number } | undefined;

const start = (module: WebAssembly.Module) =>
  create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });

async function read(module: WebAssembly.Module, file: File) {
  const engine = await start(module);
  let stored = 0;
  let told = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        stored += piece.length;
        if (stored - told > file.size / 50) {
          told = stored;
          say({ type: "progress", share: stored / file.size });
        }
        controller.enqueue(piece);
      },
    }),
  );
  const gzip = await startsAsGzip(file);
  const bytes = gzip
    ? counted.pipeThrough(
        new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>,
      )
    : counted;
  const handle = engine.import_begin("auto");
  const reader = bytes.getReader();
  let inflated = 0;
  for (;;) {
    let next: ReadableStreamReadResult<Uint8Array>;
    try {
      next = await reader.read();
    } catch {
      throw new Refusal(
        gzip
          ? `its gzip data is damaged or cut off after ${inflated} inflated bytes`
          : "the browser could not read it",
      );
    }
    if (next.done) break;
    inflated += next.value.length;
    if (inflated > inflated_limit) throw new Refusal("it inflates to more than 4 GB");
    if (!engine.import_piece(handle, next.value)) {
      await reader.cancel();
      break;
    }
  }
  held = { engine, handle };
  const found = engine.import_found(handle);
  say({ type: "found", text: found });
  if (!found.startsWith('{"ok":true')) return;
  say({ type: "rest", text: engine.import_rest(handle, file.name.slice(0, 150)) });
}

async function answer(task: EvidenceTask) {
  if (task.type === "read") await read(task.module, task.file);
  else if (task.type === "model")
    say({ type: "model", text: (await start(task.module)).import_model(task.config, task.virtualStages) });
  else if (held) say({ type: "timeline", text: held.engine.import_timeline(held.handle) });
}

scope.onmessage = ({ data }: MessageEvent<EvidenceTask>) => {
  answer(data).catch((error) =>
    say({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
  );
};
