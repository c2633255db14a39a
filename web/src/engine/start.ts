// SPDX-License-Identifier: Apache-2.0
// The engine as the page starts it: the module compiled once while it arrives, and one worker a core.
import moduleUrl from "@wasm/prism.wasm?url";
import { compile } from "./compile";
import { Pool, type WorkerLike } from "./pool";

const most_workers = 8;

/** `?workers=3` asks for a number of workers: results must not depend on it, and this is how to see that. */
export function poolSize(): number {
  const asked = Number(new URLSearchParams(location.search).get("workers"));
  if (Number.isInteger(asked) && asked >= 1 && asked <= 16) return asked;
  return Math.max(1, Math.min(navigator.hardwareConcurrency || 2, most_workers));
}

export function startEngine(): Pool {
  return new Pool({
    size: poolSize(),
    module: compile(moduleUrl),
    spawn: () => new Worker(new URL("./sim.worker.ts", import.meta.url), { type: "module" }) as WorkerLike,
  });
}
