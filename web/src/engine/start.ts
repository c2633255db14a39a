// SPDX-License-Identifier: Apache-2.0
// The engine as the page starts it: the module compiled once while it arrives, and one worker a core.
import moduleUrl from "@wasm/prism.wasm?url";
import { Pool, type WorkerLike } from "./pool";

const most_workers = 8;

/** `?workers=3` asks for a number of workers: results must not depend on it, and this is how to see that. */
function poolSize(): number {
  const asked = Number(new URLSearchParams(location.search).get("workers"));
  if (Number.isInteger(asked) && asked >= 1 && asked <= 16) return asked;
  return Math.max(1, Math.min(navigator.hardwareConcurrency || 2, most_workers));
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // Hosts that do not know the type of .wasm files cannot be compiled from while streaming.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

let compiled: Promise<WebAssembly.Module> | undefined;
/** The module, compiled once for all workers. */
export const engineModule = () => (compiled ??= compile());

export function startEngine(): Pool {
  return new Pool({
    size: poolSize(),
    module: engineModule(),
    spawn: () => new Worker(new URL("./sim.worker.ts", import.meta.url), { type: "module" }) as WorkerLike,
  });
}
