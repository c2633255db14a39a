// SPDX-License-Identifier: Apache-2.0
// Reads one file of evidence as a stream: inflated on the way if it is gzip, fed to the engine piece by piece, never
// whole in memory. Ended by the page to cancel.

import create from "@wasm/evidence.mjs";
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

async function read({ module, file }: EvidenceTask): Promise<string> {
  const engine = await create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });
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
  return engine.import_end(handle, file.name.slice(0, 150));
}

scope.onmessage = ({ data }: MessageEvent<EvidenceTask>) => {
  read(data).then(
    (text) => say({ type: "done", text }),
    (error) => say({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
  );
};
