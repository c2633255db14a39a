// SPDX-License-Identifier: Apache-2.0
// Stands in for workers: answers the protocol with parts that say which unit they are, when the test lets it.
import type { Plan, Result } from "../../web/src/base/result";
import type { WorkerLike } from "../../web/src/engine/pool";
import type { FromWorker, ToWorker } from "../../web/src/engine/protocol";
import { firstUnits } from "../../web/src/engine/work";

export const plan = (
  units: { pilot?: number; trials: number; attribution?: number; check?: number },
  draws = 1e6,
): Plan => ({
  phases: (["pilot", "trials", "attribution", "check"] as const).map((name) => ({
    name,
    units: units[name] ?? 0,
    draws_per_unit: draws,
  })),
  trials: units.trials * 256,
  seed: "1",
  engine: "fast",
  title: "fake",
  gpus: 8,
});

export class FakeWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  ended = false;
  /** Messages not yet answered, oldest first. */
  inbox: ToWorker[] = [];
  /** All that ever came. */
  readonly heard: ToWorker[] = [];

  constructor(private readonly answer: (text: string) => Plan | null) {}

  postMessage(message: ToWorker) {
    this.heard.push(message);
    this.inbox.push(message);
  }

  terminate() {
    this.ended = true;
  }

  say(message: FromWorker) {
    if (!this.ended) this.onmessage?.({ data: message });
  }

  /** Answers the oldest message; false if there is none. */
  step(): boolean {
    // As the real worker: a result goes before units that wait, a cancel drops what waits.
    const finish = this.inbox.findIndex((m) => m.type === "finish");
    const at = finish > 0 && this.inbox[0]!.type === "unit" ? finish : 0;
    const [message] = this.inbox.splice(at, 1);
    if (!message || this.ended) return false;
    switch (message.type) {
      case "start":
        this.say({ type: "ready", version: "0" });
        break;
      case "prepare": {
        const made = this.answer(message.text);
        const tables = Uint8Array.of(7);
        const { run } = message;
        if (!made) {
          this.say({ type: "refused", run, errors: [] });
          break;
        }
        const ahead = firstUnits(made, message.ahead);
        this.inbox.push(...ahead.map((ref) => ({ type: "unit", run, ...ref }) as const));
        this.say({ type: "prepared", run, plan: made, warnings: [], tables });
        break;
      }
      case "unit":
        this.say({ ...message, type: "part", bytes: Uint8Array.of(message.unit) });
        break;
      case "finish": {
        const { trials, attribution, check } = message.parts;
        // The "result" is what it was made of: enough to see order and completeness.
        const made = {
          trials: trials.map((p) => p[0]),
          attribution: attribution.length,
          check: check.length,
        };
        this.say({ type: "finished", run: message.run, text: JSON.stringify(made) });
        break;
      }
      case "cancel":
        this.inbox = this.inbox.filter((m) => !("run" in m) || m.run > message.run);
        this.say({ type: "cancelled", run: message.run });
        break;
      case "presets":
        this.say({ type: "presets", text: "{}" });
        break;
      default:
    }
    return true;
  }
}

/** What a fake result says it was made of. */
export const madeOf = (result: Result) =>
  result as unknown as { trials: number[]; attribution: number; check: number };
