// SPDX-License-Identifier: Apache-2.0
// A lesson: a question about one scenario, one control, a goal as a number, hints by degrees, and the cause. Its texts
// hold no numbers of their own: "{name}" stands for what the core computed with the option of that name (`shown`,
// which a test computes again), "{goal}" for the goal.
import * as format from "./format";
import { pretty, withValue } from "./json";
import type { Result } from "./result";

export interface LessonOption {
  label: string;
  /** Values by JSON Pointer. */
  set: Record<string, unknown>;
}

export interface Lesson {
  title: string;
  question: string;
  setting: string;
  measure: MeasureName;
  control: { label: string; options: LessonOption[] };
  goal: { text: string; below?: number; above?: number };
  hints: string[];
  cause: string;
  /** The measure with each option, in words. */
  shown: Record<string, string>;
  scenario: unknown;
}

interface Measure {
  /** What the number is, after "Now: ". */
  name: string;
  of: (result: Result) => number;
  text: (value: number) => string;
}

const share = (value: number) => `${format.significant(100 * value, 3)}\u00a0%`;

export const measures = {
  cv: {
    name: "standard deviation over mean",
    of: ({ step_time_s: step }) => step.sd / step.mean,
    text: share,
  },
  p50_over: {
    name: "median above the step without variability",
    of: ({ step_time_s: step }) => step.p50 / step.deterministic - 1,
    text: share,
  },
  p95_s: {
    name: "p95",
    of: ({ step_time_s: step }) => step.p95,
    text: (value) => `${format.significant(value, 3)}\u00a0s`,
  },
  p95_over_p50: {
    name: "p95 above the median",
    of: ({ step_time_s: step }) => step.p95 / step.p50 - 1,
    text: share,
  },
  idle: {
    name: "idle share, mean over the pipeline ranks",
    of: ({ ranks }) =>
      ranks.reduce((sum, r) => sum + r.idle_s / (r.compute_s + r.communication_s + r.idle_s), 0) /
      ranks.length,
    text: share,
  },
  goodput: {
    name: "share of the time that is productive",
    of: (result) => result.training_run?.goodput.mean ?? 0,
    text: share,
  },
} satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;

/** Whether a value of the lesson's measure is the goal. */
export function reached({ goal }: Lesson, value: number): boolean {
  return (
    value <= (goal.below ?? Number.POSITIVE_INFINITY) && value >= (goal.above ?? Number.NEGATIVE_INFINITY)
  );
}

/** A text of the lesson with its numbers. */
export function said(lesson: Lesson, text: string): string {
  const goal = measures[lesson.measure].text(lesson.goal.below ?? lesson.goal.above ?? 0);
  return text.replace(/\{([^}]+)\}/g, (_, name: string) => (name === "goal" ? goal : lesson.shown[name]!));
}

/** The scenario's text as the lesson begins. */
export const beginning = (lesson: Lesson): string => pretty(JSON.stringify(lesson.scenario));

/** The scenario's text with an option chosen. */
export function withOption(lesson: Lesson, option: LessonOption): string {
  return Object.entries(option.set).reduce(
    (text, [pointer, value]) => withValue(text, pointer, value),
    beginning(lesson),
  );
}

/** The option that the text stands at. */
export const chosen = (lesson: Lesson, text: string): LessonOption | undefined =>
  lesson.control.options.find((option) => withOption(lesson, option) === text);
