// SPDX-License-Identifier: Apache-2.0
// The units of one run: what to hand out next and what has come back. Parts are kept by unit number, so the order
// in which workers answer cannot change a result.

import type { Plan } from "../base/result";
import type { Parts, Phase, UnitRef } from "./protocol";

/** Engine speed assumed before anything is measured: random draws a second and worker. */
export const draws_per_second = 0.3e9;

export const totalDraws = (plan: Plan) => plan.phases.reduce((sum, p) => sum + p.units * p.draws_per_unit, 0);

const unitsOf = (plan: Plan, phase: Phase) => plan.phases.find((p) => p.name === phase)?.units ?? 0;

/** Units of trials that the first numbers are made of: two where the run takes few random draws. */
export const firstTrials = (plan: Plan) => Math.min(unitsOf(plan, "trials"), totalDraws(plan) < 2e8 ? 2 : 1);

/** Seconds a run is expected to take, from the plan alone. */
export const estimateSeconds = (plan: Plan, workers: number) =>
  totalDraws(plan) / (draws_per_second * workers);

/** The draws that are expected to take so long. */
export const drawsWithin = (seconds: number, workers: number) => seconds * draws_per_second * workers;

/**
 * What the first numbers wait for, as far as the worker that prepares can do it by itself, within so many draws: it then
 * waits for no page that is busy drawing. A pilot of many units is everyone's work.
 */
export function firstUnits(plan: Plan, within: number | undefined): UnitRef[] {
  if (within === undefined || totalDraws(plan) > within) return [];
  const pilot = unitsOf(plan, "pilot");
  const first: UnitRef[] = pilot ? [{ phase: "pilot", unit: 0 }] : [];
  if (pilot < 2) for (let unit = 0; unit < firstTrials(plan); unit++) first.push({ phase: "trials", unit });
  return first;
}

export class Work {
  private readonly parts: Record<Phase, Uint8Array[]> = { pilot: [], trials: [], attribution: [], check: [] };
  private waiting: Record<"pilot" | "main", UnitRef[]> = { pilot: [], main: [] };
  private missing: Record<Phase, number> = { pilot: 0, trials: 0, attribution: 0, check: 0 };
  private readonly draws: Record<Phase, number> = { pilot: 0, trials: 0, attribution: 0, check: 0 };
  private readonly total: number;
  private done = 0;

  /** `begun`: units that are handed out already. */
  constructor(
    readonly plan: Plan,
    begun: UnitRef[],
  ) {
    // Trials come first: the answer does not wait for the account of where the time goes.
    for (const name of ["pilot", "trials", "attribution", "check"] as const) {
      const phase = plan.phases.find((p) => p.name === name);
      this.missing[name] = phase?.units ?? 0;
      this.draws[name] = phase?.draws_per_unit ?? 0;
      const list = name === "pilot" ? this.waiting.pilot : this.waiting.main;
      for (let unit = 0; unit < this.missing[name]; unit++)
        if (!begun.some((u) => u.phase === name && u.unit === unit)) list.push({ phase: name, unit });
    }
    this.total = totalDraws(plan);
  }

  /** The next unit, or nothing while the pilot is still out or when all is handed out. */
  next(): UnitRef | undefined {
    return this.waiting.pilot.shift() ?? (this.pilotIn ? this.waiting.main.shift() : undefined);
  }

  /** Units of a worker that is gone go to the front. */
  giveBack(units: UnitRef[]) {
    for (const ref of units) this.waiting[ref.phase === "pilot" ? "pilot" : "main"].unshift(ref);
  }

  /** Takes a part; false if it was there already. */
  add({ phase, unit }: UnitRef, bytes: Uint8Array): boolean {
    if (this.parts[phase][unit]) return false;
    this.parts[phase][unit] = bytes;
    this.missing[phase]--;
    this.done += this.draws[phase];
    return true;
  }

  get pilotIn() {
    return this.missing.pilot === 0;
  }

  get pilot(): Uint8Array[] {
    return this.parts.pilot;
  }

  get complete() {
    return this.missing.pilot + this.missing.trials + this.missing.attribution + this.missing.check === 0;
  }

  get trialUnits() {
    return unitsOf(this.plan, "trials");
  }

  get pilotUnits() {
    return unitsOf(this.plan, "pilot");
  }

  /** Trial parts without a gap from the first: what a partial result may be made of. */
  get prefix(): number {
    const parts = this.parts.trials;
    let n = 0;
    while (parts[n]) n++;
    return n;
  }

  /** Share of the work that is done, by draws. */
  get fraction() {
    return this.total > 0 ? this.done / this.total : 1;
  }

  /** The parts of a result document over the first `trials` trial units; the other phases only when all of them are in. */
  take(trials: number): Parts {
    const whole = (phase: Phase) => (this.missing[phase] === 0 ? this.parts[phase].slice() : []);
    const full = trials === this.trialUnits;
    return {
      trials: this.parts.trials.slice(0, trials),
      attribution: full ? whole("attribution") : [],
      check: full ? whole("check") : [],
    };
  }
}
