// SPDX-License-Identifier: Apache-2.0
// The whole state of the page as plain data, and one function that says what each event makes of it. What can be
// computed from it (stale or not, field values, sentences) is computed, not stored.

import type { LinkFault } from "../base/link";
import type { Diagnostic, Plan, Result } from "../base/result";
import type { RunEvent } from "../engine/pool";

/** Where a text came from. A link or result file also says what it should give. */
export type Source =
  | { kind: "example"; file: string }
  | { kind: "link"; engine: string; digest: string }
  | { kind: "file"; name: string; engine?: string; digest?: string }
  | { kind: "edited" };

export interface Doc {
  text: string;
  source: Source;
  /** Name of the lesson it belongs to: then only that lesson's control changes it. */
  lesson?: string;
}

/** A state of the text that undo can bring back, and what was done to it, in words: "change of pp". */
export interface Step {
  doc: Doc;
  done: string;
}

export interface Answer {
  /** The text this result belongs to. */
  text: string;
  result: Result;
  /** The result document as the core wrote it; null while partial. */
  document: string | null;
  /** Time since the run started. */
  ms: number;
}

export type RunState =
  | { phase: "idle" }
  | { phase: "preparing" }
  | { phase: "held"; plan: Plan; seconds: number }
  | { phase: "running"; plan: Plan; fraction: number; secondsLeft: number | null }
  | { phase: "cancelled" }
  | { phase: "failed"; message: string };

/** Something that could not be opened; stands where the answer would, until something else is opened. */
export type Refusal = { kind: "link"; fault: LinkFault } | { kind: "file"; name: string; message: string };

export interface State {
  doc: Doc;
  past: Step[];
  future: Step[];
  run: RunState;
  /** Last good result, whether or not it still belongs to the text. */
  answer: Answer | null;
  /** The whole result that new ones are set beside. No part of the document: undo leaves it, links do not carry it. */
  pinned: Answer | null;
  /** What the core says against the present text. */
  errors: Diagnostic[];
  refusal: Refusal | null;
  /** Text of an earlier visit that was neither shared nor saved. */
  draft: string | null;
  /** The burst of changes that the next one may belong to. */
  burst: { group: string; at: number } | null;
}

export type Action =
  /** `group` merges a burst of like changes into one step of undo. */
  | { type: "edit"; text: string; done: string; group?: string; at: number }
  | { type: "open"; doc: Doc; done: string }
  | { type: "refuse"; refusal: Refusal }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "started" }
  | { type: "cancelled" }
  | { type: "run"; text: string; event: RunEvent }
  | { type: "pin"; answer: Answer | null }
  | { type: "draft"; text: string | null }
  | { type: "dismiss" };

/** Always the same one: who shows errors need not draw again. */
const no_errors: Diagnostic[] = [];

export const empty: State = {
  doc: { text: "", source: { kind: "edited" } },
  past: [],
  future: [],
  run: { phase: "idle" },
  answer: null,
  pinned: null,
  errors: no_errors,
  refusal: null,
  draft: null,
  burst: null,
};

const group_ms = 1200;
const steps_kept = 200;

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "edit": {
      if (action.text === state.doc.text) return state;
      const { text, group, at } = action;
      const together = group !== undefined && state.burst?.group === group && at - state.burst.at < group_ms;
      return {
        ...state,
        doc: { ...state.doc, text, source: { kind: "edited" } },
        past: together ? state.past : remember(state, action.done),
        future: [],
        refusal: null,
        burst: group === undefined ? null : { group, at },
      };
    }
    case "open": {
      const past = state.doc.text === "" ? state.past : remember(state, action.done);
      return { ...state, doc: action.doc, past, future: [], refusal: null, burst: null };
    }
    case "refuse":
      return { ...state, refusal: action.refusal };
    case "undo": {
      const step = state.past.at(-1);
      if (!step) return state;
      const future = [{ doc: state.doc, done: step.done }, ...state.future];
      return { ...state, doc: step.doc, past: state.past.slice(0, -1), future, refusal: null, burst: null };
    }
    case "redo": {
      const step = state.future[0];
      if (!step) return state;
      const past = [...state.past, { doc: state.doc, done: step.done }];
      return { ...state, doc: step.doc, past, future: state.future.slice(1), refusal: null, burst: null };
    }
    case "started":
      return { ...state, run: { phase: "preparing" } };
    case "cancelled":
      return { ...state, run: { phase: "cancelled" } };
    case "run":
      return { ...state, ...ran(state, action.text, action.event) };
    case "pin":
      return { ...state, pinned: action.answer };
    case "draft":
      return { ...state, draft: action.text };
    case "dismiss":
      return { ...state, refusal: null };
  }
}

const remember = (state: State, done: string): Step[] => [
  ...state.past.slice(1 - steps_kept),
  { doc: state.doc, done },
];

function ran(state: State, text: string, event: RunEvent): Partial<State> {
  switch (event.type) {
    case "plan":
      return {
        errors: no_errors,
        run: { phase: "running", plan: event.plan, fraction: 0, secondsLeft: null },
      };
    case "held":
      return { run: { phase: "held", plan: event.plan, seconds: event.seconds } };
    case "progress":
      return state.run.phase === "running" || state.run.phase === "held"
        ? {
            run: {
              phase: "running",
              plan: state.run.plan,
              fraction: event.fraction,
              secondsLeft: event.secondsLeft,
            },
          }
        : {};
    case "partial":
      return { answer: { text, result: event.result, document: null, ms: event.ms } };
    case "done":
      return {
        answer: { text, result: event.result, document: event.text, ms: event.ms },
        run: { phase: "idle" },
      };
    case "refused":
      return { errors: event.errors, run: { phase: "idle" } };
    case "failed":
      return { run: { phase: "failed", message: event.message } };
  }
}

/** True if the result on show does not belong to the text. */
export const isStale = (state: State) => state.answer !== null && state.answer.text !== state.doc.text;

/** True if the result on show is whole and belongs to the text: only then is it shared. */
export const isSettled = (state: State) =>
  state.answer !== null && state.answer.document !== null && state.answer.text === state.doc.text;

/** True if the result on show belongs to another text than the pinned one: there is something to set beside it. */
export const isBesidePinned = ({ pinned, answer }: State) =>
  pinned !== null && answer !== null && answer.text !== pinned.text;

/** What became of a promise to reproduce a result: null if none was made or it is not decided yet. */
export type Reproduction = { kind: "exact"; digest: string } | { kind: "differs"; text: string } | null;

export function reproduction(state: State): Reproduction {
  const source = state.doc.source;
  if ((source.kind !== "link" && source.kind !== "file") || !source.digest || !isSettled(state)) return null;
  const result = state.answer!.result;
  if (result.digest === source.digest) return { kind: "exact", digest: result.digest };
  const from = source.kind === "link" ? "The link" : "The file";
  return {
    kind: "differs",
    text:
      source.engine && source.engine !== result.engine_version
        ? `${from} was made by engine ${source.engine}; this page runs ${result.engine_version}, and its numbers differ (digest ${source.digest}, now ${result.digest}).`
        : `The numbers differ from those it was made with, although the engine is ${result.engine_version} both times (digest ${source.digest}, now ${result.digest}). The scenario was changed outside Prism, or this is a fault worth reporting.`,
  };
}
