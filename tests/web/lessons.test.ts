// SPDX-License-Identifier: Apache-2.0
// Every lesson: its scenario runs in the built WebAssembly module with each option, each number shown is what the core
// gives, the goal is missed at the beginning and can be reached, and the texts hold no number of their own.
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  beginning,
  chosen,
  type Lesson,
  measures,
  reached,
  said,
  withOption,
} from "../../web/src/base/lesson";
import type { Result } from "../../web/src/base/result";

interface Modules {
  load(): Promise<unknown>;
  run(modules: unknown[], text: string): Result;
}
const folder = resolve(import.meta.dirname, "../../examples/lessons");
const lessons = readdirSync(folder).map((file) => ({
  file,
  lesson: JSON.parse(readFileSync(resolve(folder, file), "utf8")) as Lesson,
}));
const { load, run } = (await import(resolve(import.meta.dirname, "../wasm/module.mjs"))) as Modules;
const engine = await load();
const play = (text: string) => run([engine], text);

test("there are at least six", () => expect(lessons.length).toBeGreaterThanOrEqual(6));

describe.each(lessons)("$file", ({ lesson }) => {
  const measure = measures[lesson.measure];
  const { options } = lesson.control;
  const values = new Map(options.map((o) => [o.label, measure.of(play(withOption(lesson, o)))]));

  test("each number is what the core computes", () => {
    const computed = Object.fromEntries([...values].map(([label, value]) => [label, measure.text(value)]));
    expect(lesson.shown).toEqual(computed);
  });

  test("the goal is missed at the beginning and can be reached", () => {
    expect(chosen(lesson, beginning(lesson))).toBeDefined();
    expect(reached(lesson, measure.of(play(beginning(lesson))))).toBe(false);
    expect([...values.values()].some((value) => reached(lesson, value))).toBe(true);
  });

  test("its texts name only numbers that were computed", () => {
    const { title, question, setting, goal, hints, cause } = lesson;
    for (const text of [title, question, setting, goal.text, cause, ...hints]) {
      for (const [, name] of text.matchAll(/\{([^}]+)\}/g))
        expect(["goal", ...Object.keys(lesson.shown)]).toContain(name);
      // Names of measures and of the model, and how p95 is spoken of.
      const own = text.replace(/\{[^}]+\}|p95|Llama 3\.1 \d+B|95 of 100/g, "");
      expect(own).not.toMatch(/\d/);
      expect(said(lesson, text)).not.toMatch(/[{}]|undefined/);
    }
  });
});
