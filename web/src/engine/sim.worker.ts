// SPDX-License-Identifier: Apache-2.0
// One worker: its own instance of the engine, and a queue of its own so that a cancel is heard between units.

import create, { type PrismModule } from "@wasm/prism.mjs";
import type { Prepared } from "../base/result";
import type { FromWorker, ToWorker } from "./protocol";
import { firstUnits } from "./work";

type Task = Exclude<ToWorker, { type: "start" | "cancel" }>;

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

let engine: PrismModule | undefined;
/** `learns`: goes on from the pilot to the trials by itself. */
let held: { run: number; handle: number; learns: boolean } | undefined;
const queue: Task[] = [];

// One task a turn of the event loop: a message that arrives meanwhile is seen before the next task starts.
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  if (!engine) return;
  const task = queue.shift();
  if (!task) return;
  try {
    work(engine, task);
  } catch (error) {
    // After a trap the module's memory may be in any state.
    say({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    queue.length = 0;
    engine = undefined;
    return;
  }
  if (queue.length > 0) turn.port2.postMessage(null);
};

function enqueue(task: Task) {
  if (task.type === "finish") {
    // Before waiting units, but never before its own preparation.
    const first = queue.findIndex((t) => t.type === "unit");
    queue.splice(first < 0 ? queue.length : first, 0, task);
  } else {
    queue.push(task);
  }
  if (queue.length === 1) turn.port2.postMessage(null);
}

function work(module: PrismModule, task: Task) {
  switch (task.type) {
    case "presets":
      return say({ type: "presets", text: module.presets() });
    case "prepare": {
      if (held) module.release(held.handle);
      held = undefined;
      if (task.tables) module.learn_tables(task.tables);
      const prepared = JSON.parse(module.prepare(task.text)) as Prepared;
      if (!prepared.ok) return say({ type: "refused", run: task.run, errors: prepared.errors });
      const { run } = task;
      const { handle, plan, warnings } = prepared;
      const ahead = firstUnits(plan, task.ahead);
      held = { run, handle, learns: ahead.some(({ phase }) => phase === "trials") };
      queue.push(...ahead.map((ref) => ({ type: "unit", run, ...ref }) as const));
      const tables = module.take_tables();
      return say({ type: "prepared", run, plan, warnings, tables }, [tables.buffer]);
    }
    default:
  }
  if (held?.run !== task.run) return;
  switch (task.type) {
    case "learn":
      return module.learn(held.handle, task.pilot);
    case "unit": {
      const bytes = module.run_unit(held.handle, task.phase, task.unit);
      const { run, phase, unit } = task;
      const pilot = held.learns && phase === "pilot" ? [bytes.slice()] : [];
      say({ type: "part", run, phase, unit, bytes }, [bytes.buffer]);
      if (pilot.length > 0) module.learn(held.handle, pilot);
      return;
    }
    case "finish": {
      const { trials, attribution, check } = task.parts;
      return say({
        type: "finished",
        run: task.run,
        text: module.finish(held.handle, trials, attribution, check),
      });
    }
    default:
  }
}

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case "start":
      create({
        instantiateWasm(imports, done) {
          WebAssembly.instantiate(data.module, imports).then(done);
          return {};
        },
      }).then(
        (module) => {
          engine = module;
          say({ type: "ready", version: module.version() });
          if (queue.length > 0) turn.port2.postMessage(null);
        },
        (error) => say({ type: "failed", message: String(error) }),
      );
      return;
    case "cancel":
      for (let i = queue.length - 1; i >= 0; i--) {
        const task = queue[i]!;
        if ("run" in task && task.run <= data.run) queue.splice(i, 1);
      }
      return say({ type: "cancelled", run: data.run });
    default:
      enqueue(data);
  }
};
