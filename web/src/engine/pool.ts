// SPDX-License-Identifier: Apache-2.0
// Runs scenarios on a few independent workers. The newest run wins; a worker that fails, or does not answer within
// half a second of a cancel, is ended and replaced: no worker holds anything worth keeping.

import type { Diagnostic, Plan, Result } from "../base/result";
import type { FromWorker, ToWorker, UnitRef } from "./protocol";
import { drawsWithin, estimateSeconds, firstTrials, firstUnits, Work } from "./work";

/** What the pool needs of a Worker. */
export interface WorkerLike {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
}

export interface PoolOptions {
  size: number;
  spawn: () => WorkerLike;
  module: Promise<WebAssembly.Module>;
  now?: () => number;
}

/** What happens to a run, in order; `refused`, `failed` and `done` are last words. */
export type RunEvent =
  | { type: "plan"; plan: Plan; warnings: Diagnostic[]; seconds: number }
  /** Expected to take longer than asked for: waits for `proceed`. */
  | { type: "held"; plan: Plan; seconds: number }
  | { type: "progress"; fraction: number; secondsLeft: number | null }
  | { type: "partial"; result: Result; ms: number }
  | { type: "done"; result: Result; text: string; ms: number }
  | { type: "refused"; errors: Diagnostic[] }
  | { type: "failed"; message: string };

export interface Ticket {
  /** Starts a run that is held. */
  proceed(): void;
  cancel(): void;
}

export const cancel_grace_ms = 500;
const failures_allowed = 2;

interface Slot {
  worker: WorkerLike;
  ready: boolean;
  /** Of the current run: asked to prepare, draws it may begin with unasked, has prepared, knows the pilot. */
  asked: boolean;
  ahead: number | undefined;
  prepared: boolean;
  learned: boolean;
  out: UnitRef[];
  finishing: { final: boolean; run: number }[];
  deadline: ReturnType<typeof setTimeout> | undefined;
}

interface Run {
  id: number;
  text: string;
  listener: (event: RunEvent) => void;
  limitSeconds: number;
  started: number;
  /** Since when, its preparation not counted. */
  computing: number;
  held: boolean;
  /** Prepares first: the others then need not compute its tables again. */
  lead: Slot;
  tables: Uint8Array | undefined;
  work: Work | null;
  /** Trial units the next partial result waits for: those of the first numbers, then 4, 16, 64, … */
  milestone: number;
  finalAsked: boolean;
  failures: number;
}

/** 4, 16, 64, … trial units, then all of them. */
function milestoneAfter(prefix: number, all: number): number {
  if (prefix >= all) return Number.POSITIVE_INFINITY;
  let milestone = 4;
  while (milestone <= prefix) milestone *= 4;
  return Math.min(milestone, all);
}

const isIdle = (slot: Slot) => slot.ready && slot.deadline === undefined;

export class Pool {
  private readonly slots: Slot[] = [];
  private current: Run | null = null;
  private lastRun = 0;
  /** First numbers were seen. Until then only one worker works: its code is compiled meanwhile, on the cores left to it. */
  private warm = false;
  private startFailures = 0;
  private readonly now: () => number;
  private presetsAsked: { text: Promise<string>; resolve: (text: string) => void } | undefined;

  constructor(private readonly options: PoolOptions) {
    this.now = options.now ?? (() => performance.now());
    for (let i = 0; i < options.size; i++) this.slots.push(this.open());
  }

  get size() {
    return this.slots.length;
  }

  /** The first workers have the module, or never will. */
  get started(): Promise<unknown> {
    return this.options.module.catch(() => {});
  }

  run(text: string, listener: (event: RunEvent) => void, limitSeconds = Number.POSITIVE_INFINITY): Ticket {
    this.abandon();
    const lead = this.idleSlot();
    if (!lead) {
      listener({ type: "failed", message: "No worker could be started. Reload the page to try again." });
      return { proceed: () => {}, cancel: () => {} };
    }
    const run: Run = {
      id: ++this.lastRun,
      text,
      listener,
      limitSeconds,
      started: this.now(),
      computing: 0,
      held: false,
      lead,
      tables: undefined,
      work: null,
      milestone: 1,
      finalAsked: false,
      failures: 0,
    };
    this.current = run;
    this.startFailures = 0;
    for (const slot of this.slots) {
      slot.asked = slot.prepared = slot.learned = false;
      slot.ahead = undefined;
    }
    this.ask(lead, run, true);
    return {
      proceed: () => {
        if (this.current !== run || !run.held) return;
        run.held = false;
        run.started = run.computing = this.now();
        this.feedAll(run);
      },
      cancel: () => {
        if (this.current === run) this.abandon();
      },
    };
  }

  /** All presets as the core tells them, JSON. */
  presets(): Promise<string> {
    if (!this.presetsAsked) {
      let resolve: (text: string) => void = () => {};
      const text = new Promise<string>((r) => {
        resolve = r;
      });
      this.presetsAsked = { text, resolve };
      this.slots.at(-1)?.worker.postMessage({ type: "presets" });
    }
    return this.presetsAsked.text;
  }

  close() {
    this.current = null;
    for (const slot of this.slots) this.drop(slot);
  }

  private open(): Slot {
    const worker = this.options.spawn();
    const slot: Slot = {
      worker,
      ready: false,
      asked: false,
      ahead: undefined,
      prepared: false,
      learned: false,
      out: [],
      finishing: [],
      deadline: undefined,
    };
    worker.onmessage = ({ data }) => this.hear(slot, data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.replace(slot, event.message ?? "the worker stopped");
    };
    this.options.module.then(
      (module) => worker.postMessage({ type: "start", module }),
      (error) => this.fail(`The engine could not be loaded: ${String(error)}`),
    );
    return slot;
  }

  private drop(slot: Slot) {
    clearTimeout(slot.deadline);
    slot.worker.onmessage = null;
    slot.worker.onerror = null;
    slot.worker.terminate();
  }

  /** Ends a worker and puts a fresh one in its place. `why` counts as a failure; a worker cancelled too late is none. */
  private replace(slot: Slot, why: string | null) {
    const at = this.slots.indexOf(slot);
    if (at < 0) return;
    this.drop(slot);
    const run = this.current;
    if (run && slot.out.length > 0) run.work?.giveBack(slot.out);
    if (run && slot.finishing.some((f) => f.final && f.run === run.id)) run.finalAsked = false;
    if (why !== null) {
      if (run) run.failures++;
      this.startFailures += slot.ready ? 0 : 1;
      if ((run && run.failures > failures_allowed) || this.startFailures > failures_allowed) {
        this.fail(why);
        if (this.startFailures > failures_allowed) {
          // Do not start workers for ever on a page that cannot start any.
          this.slots.splice(at, 1);
          return;
        }
      }
    }
    const fresh = this.open();
    this.slots[at] = fresh;
    if (at === this.slots.length - 1 && this.presetsAsked) fresh.worker.postMessage({ type: "presets" });
    if (run?.lead === slot) run.lead = fresh;
    if (run && this.current === run && (run.lead === fresh || run.work)) this.ask(fresh, run, !run.work);
  }

  /** One that can start at once, if there is one. */
  private idleSlot(): Slot | undefined {
    return this.slots.find(isIdle) ?? this.slots[0];
  }

  private fail(message: string) {
    const run = this.current;
    if (!run) return;
    this.abandon();
    run.listener({ type: "failed", message });
  }

  /** Ends the current run: nothing more is heard of it. */
  private abandon() {
    const run = this.current;
    this.current = null;
    if (!run) return;
    for (const slot of this.slots) {
      const busy = slot.out.length > 0 || slot.finishing.length > 0 || (slot.asked && !slot.prepared);
      slot.out = [];
      slot.finishing = [];
      if (!busy || !slot.ready) continue;
      slot.worker.postMessage({ type: "cancel", run: run.id });
      slot.deadline ??= setTimeout(() => this.replace(slot, null), cancel_grace_ms);
    }
  }

  private askOthers(run: Run) {
    for (const slot of this.slots) if (!slot.asked) this.ask(slot, run);
  }

  /** `leads`: goes on to the first units by itself. */
  private ask(slot: Slot, run: Run, leads = false) {
    const ahead = leads ? drawsWithin(run.limitSeconds, this.slots.length) : undefined;
    slot.asked = true;
    slot.ahead = ahead;
    slot.prepared = slot.learned = false;
    slot.worker.postMessage({ type: "prepare", run: run.id, text: run.text, tables: run.tables, ahead });
  }

  private hear(slot: Slot, message: FromWorker) {
    switch (message.type) {
      case "ready":
        slot.ready = true;
        return;
      case "presets":
        return this.presetsAsked?.resolve(message.text);
      case "failed":
        return this.replace(slot, message.message);
      case "cancelled":
        clearTimeout(slot.deadline);
        slot.deadline = undefined;
        return;
      default:
    }
    const run = this.current;
    if (!run || message.run !== run.id) return;
    switch (message.type) {
      case "refused":
        this.current = null;
        for (const s of this.slots) s.asked = s.prepared = false;
        return run.listener({ type: "refused", errors: message.errors });
      case "prepared":
        slot.prepared = true;
        if (!run.work) {
          // Units that it goes on with by itself; it learns from them what it must.
          const begun = firstUnits(message.plan, slot.ahead);
          run.work = new Work(message.plan, begun);
          run.milestone = firstTrials(message.plan);
          run.tables = message.tables;
          run.computing = this.now();
          slot.out.push(...begun);
          slot.learned = begun.at(-1)?.phase === "trials";
          // Of two cores the page needs one to draw what has changed, until there are numbers; a long pilot is for all.
          if (this.warm && (this.slots.length > 2 || run.work.pilotUnits > 1)) this.askOthers(run);
          const seconds = estimateSeconds(message.plan, this.slots.length);
          run.listener({ type: "plan", plan: message.plan, warnings: message.warnings, seconds });
          run.held = seconds > run.limitSeconds;
          if (run.held) run.listener({ type: "held", plan: message.plan, seconds });
        }
        this.feed(slot, run);
        return this.settle(run);
      case "part":
        return this.take(slot, run, message, message.bytes);
      case "finished": {
        const asked = slot.finishing.shift();
        const result = JSON.parse(message.text) as Result;
        const ms = this.now() - run.started;
        if (!asked?.final) return run.listener({ type: "partial", result, ms });
        this.current = null;
        return run.listener({ type: "done", result, text: message.text, ms });
      }
      default:
    }
  }

  private take(slot: Slot, run: Run, ref: UnitRef, bytes: Uint8Array) {
    const work = run.work;
    if (!work) return;
    const at = slot.out.findIndex((u) => u.phase === ref.phase && u.unit === ref.unit);
    if (at >= 0) slot.out.splice(at, 1);
    const hadPilot = work.pilotIn;
    if (!work.add(ref, bytes)) return this.feed(slot, run);
    const spent = this.now() - run.computing;
    const left = spent > 200 ? ((spent / work.fraction) * (1 - work.fraction)) / 1000 : null;
    run.listener({ type: "progress", fraction: work.fraction, secondsLeft: left });

    const prefix = work.prefix;
    if (!work.complete && prefix >= run.milestone) {
      // Shown while it is being computed; the last milestone is all trials, before the account of where time goes.
      run.milestone = milestoneAfter(prefix, work.trialUnits);
      this.finish(slot, run, prefix, false);
      this.warm = true;
      this.askOthers(run);
      return this.feedAll(run);
    }
    if (work.pilotIn && !hadPilot) this.feedAll(run);
    else this.feed(slot, run);
    this.settle(run);
  }

  private feedAll(run: Run) {
    for (const slot of this.slots) this.feed(slot, run);
  }

  private feed(slot: Slot, run: Run) {
    const work = run.work;
    if (!work || !slot.prepared || run.held) return;
    if (work.pilotIn && !slot.learned) {
      if (work.pilot.length > 0) slot.worker.postMessage({ type: "learn", run: run.id, pilot: work.pilot });
      slot.learned = true;
    }
    // One unit in hand and one waiting keeps a worker busy while the page draws. Before the first numbers only one,
    // so that nothing stands in their way.
    const depth = run.milestone > 2 ? 2 : 1;
    while (slot.out.length < depth) {
      const ref = work.next();
      if (!ref) return;
      slot.out.push(ref);
      slot.worker.postMessage({ type: "unit", run: run.id, ...ref });
    }
  }

  private finish(slot: Slot, run: Run, trials: number, final: boolean) {
    slot.finishing.push({ final, run: run.id });
    slot.worker.postMessage({ type: "finish", run: run.id, parts: run.work!.take(trials) });
  }

  /** Asks for the final result once every part is in. */
  private settle(run: Run) {
    if (!run.work?.complete || run.finalAsked) return;
    const slot = this.slots.find((s) => s.learned && s.prepared);
    if (!slot) return;
    run.finalAsked = true;
    this.finish(slot, run, run.work.trialUnits, true);
  }
}
