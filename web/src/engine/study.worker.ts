// SPDX-License-Identifier: Apache-2.0
// One of the workers that share a study. Each makes the same plan; ended by the page to cancel.
import create, { type StudyModule } from "@wasm/study.mjs";
import type { Planned } from "../base/study";
import type { StudyReply, StudyTask } from "./study-messages";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (message: StudyReply, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

let held: { engine: StudyModule; handle: number } | undefined;

async function plan(task: Extract<StudyTask, { type: "plan" }>) {
  const engine = await create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(task.module, imports).then(done);
      return {};
    },
  });
  const planned = JSON.parse(engine.study_plan(task.text, task.question)) as Planned;
  if (!planned.ok) return say({ type: "refused", errors: planned.errors });
  held = { engine, handle: planned.handle };
  say({ type: "planned", units: planned.plan.units });
}

async function work(task: StudyTask) {
  if (task.type === "plan") return plan(task);
  if (!held) return;
  if (task.type === "finish")
    return say({ type: "finished", text: held.engine.study_finish(held.handle, task.parts) });
  const bytes = held.engine.study_unit(held.handle, task.unit);
  say({ type: "part", unit: task.unit, bytes }, [bytes.buffer]);
}

scope.onmessage = ({ data }: MessageEvent<StudyTask>) => {
  work(data).catch((error) =>
    say({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
  );
};
