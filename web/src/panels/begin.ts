// SPDX-License-Identifier: Apache-2.0
// A study begun from a panel: workers of its own, as many trials as one waits for.
import moduleUrl from "@wasm/study.wasm?url";
import { compile } from "../engine/compile";
import { poolSize } from "../engine/start";
import { type RunningStudy, type StudyWorker, startStudy } from "../engine/study";

/** Trials of each variant on the page: enough for the ranking, few enough to wait for. */
export const trials = 1024;

export function shortened(text: string): string {
  const scenario = JSON.parse(text) as { run?: { trials?: number } };
  const asked = scenario.run?.trials ?? 10_000;
  return JSON.stringify({ ...scenario, run: { ...scenario.run, trials: Math.min(asked, trials) } });
}

/** Fetched with the first study. */
let module: Promise<WebAssembly.Module> | undefined;

/** A study of one scenario at hand; `shortened` first where it plays variants of it. */
export function begin(text: string, question: object, progress: (share: number) => void): RunningStudy {
  module ??= compile(moduleUrl);
  return startStudy({
    text,
    question,
    module,
    size: poolSize(),
    spawn: () =>
      new Worker(new URL("../engine/study.worker.ts", import.meta.url), {
        type: "module",
      }) as unknown as StudyWorker,
    progress,
  });
}
