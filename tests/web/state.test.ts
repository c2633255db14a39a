// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  type Action,
  empty,
  isSettled,
  isStale,
  reduce,
  reproduction,
  type State,
} from "../../web/src/app/state";
import type { Result } from "../../web/src/base/result";
import type { RunEvent } from "../../web/src/engine/pool";
import { plan } from "./fake-engine";

const stateAfter = (...actions: Action[]): State => actions.reduce(reduce, empty);
const example = (text: string): Action => ({
  type: "open",
  doc: { text, source: { kind: "example", file: `${text}.json` } },
  done: "loading an example",
});
const edit = (text: string, at = 0, group?: string): Action => ({
  type: "edit",
  text,
  done: "changing tp",
  at,
  ...(group ? { group } : {}),
});
const result = (digest = "d") => ({ digest, engine_version: "1" }) as Result;
const done = (text: string, digest?: string): Action => ({
  type: "run",
  text,
  event: { type: "done", result: result(digest), text: "{}", ms: 1 },
});

describe("undo", () => {
  test("brings back text and source of every change, opening included", () => {
    const s = stateAfter(example("a"), edit("b"), example("c"));
    expect(s.past.map((p) => p.done)).toEqual(["changing tp", "loading an example"]);
    const one = reduce(s, { type: "undo" });
    expect(one.doc).toEqual({ text: "b", source: { kind: "edited" } });
    const two = reduce(one, { type: "undo" });
    expect(two.doc.source).toEqual({ kind: "example", file: "a.json" });
    expect(two.future.map((p) => p.done)).toEqual(["changing tp", "loading an example"]);
    const again = reduce(reduce(two, { type: "redo" }), { type: "redo" });
    expect(again.doc).toEqual(s.doc);
    expect(again.past).toEqual(s.past);
  });
  test("the first document is not a change", () => expect(stateAfter(example("a")).past).toEqual([]));
  test("a burst of like changes is one step", () => {
    const s = stateAfter(
      example("a"),
      edit("b", 0, "typing"),
      edit("c", 500, "typing"),
      edit("d", 1500, "typing"),
    );
    expect(s.past.length).toBe(1);
    expect(reduce(s, { type: "undo" }).doc.text).toBe("a");
  });
  test("a pause, another field or an undo ends a burst", () => {
    expect(stateAfter(example("a"), edit("b", 0, "x"), edit("c", 5000, "x")).past.length).toBe(2);
    expect(stateAfter(example("a"), edit("b", 0, "x"), edit("c", 1, "y")).past.length).toBe(2);
    expect(stateAfter(example("a"), edit("b", 0, "x"), { type: "undo" }, edit("c", 1, "x")).past.length).toBe(
      1,
    );
  });
  test("a new change drops what could be redone", () => {
    expect(stateAfter(example("a"), edit("b"), { type: "undo" }, edit("c")).future).toEqual([]);
  });
  test("an edit that changes nothing is no step", () => {
    const s = stateAfter(example("a"));
    expect(reduce(s, edit("a"))).toBe(s);
  });
});

describe("a result", () => {
  test("is stale as soon as the text differs, and not when the text comes back", () => {
    const s = stateAfter(example("a"), done("a"));
    expect(isStale(s)).toBe(false);
    const changed = reduce(s, edit("b"));
    expect(isStale(changed)).toBe(true);
    expect(isStale(reduce(changed, { type: "undo" }))).toBe(false);
  });
  test("stays through errors, cancel and failure", () => {
    const s = stateAfter(example("a"), done("a"), edit("b"));
    const fault = {
      code: "x",
      pointer: "",
      message: "",
      hint: "",
      severity: "error",
      line: 1,
      column: 1,
    } as const;
    const refused = reduce(s, { type: "run", text: "b", event: { type: "refused", errors: [fault] } });
    expect(refused.answer).toBe(s.answer);
    expect(refused.errors).toEqual([fault]);
    expect(reduce(s, { type: "cancelled" }).answer).toBe(s.answer);
    expect(reduce(s, { type: "run", text: "b", event: { type: "failed", message: "m" } }).answer).toBe(
      s.answer,
    );
  });
  test("is shared only when whole and of the present text", () => {
    const partial: Action = { type: "run", text: "a", event: { type: "partial", result: result(), ms: 1 } };
    expect(isSettled(stateAfter(example("a"), partial))).toBe(false);
    expect(isSettled(stateAfter(example("a"), done("a")))).toBe(true);
    expect(isSettled(stateAfter(example("a"), done("a"), edit("b")))).toBe(false);
  });
  test("clears the errors once a plan is there", () => {
    const s: State = {
      ...empty,
      errors: [{ code: "x", pointer: "", message: "", hint: "", severity: "error", line: 0, column: 0 }],
    };
    const event: RunEvent = { type: "plan", plan: plan({ trials: 1 }), warnings: [], seconds: 0 };
    expect(reduce(s, { type: "run", text: "", event }).errors).toEqual([]);
  });
});

describe("what a link promised", () => {
  const linked = (engine: string): Action => ({
    type: "open",
    doc: { text: "a", source: { kind: "link", engine, digest: "d" } },
    done: "opening a link",
  });
  test("is not judged before the result is whole", () => {
    expect(reproduction(stateAfter(linked("1")))).toBeNull();
  });
  test("is kept", () => {
    expect(reproduction(stateAfter(linked("1"), done("a", "d")))).toEqual({ kind: "exact", digest: "d" });
  });
  test("is broken by another engine, which is named", () => {
    expect(reproduction(stateAfter(linked("0.9"), done("a", "e")))).toMatchObject({
      kind: "differs",
      text: expect.stringMatching(/engine 0\.9.*runs 1.*digest d, now e/),
    });
  });
  test("is broken with the same engine: called a fault", () => {
    expect(reproduction(stateAfter(linked("1"), done("a", "e")))).toMatchObject({
      text: expect.stringContaining("fault"),
    });
  });
  test("no longer stands after an edit, and again after undo", () => {
    const s = stateAfter(linked("1"), done("a", "d"), edit("b"), done("b", "f"));
    expect(reproduction(s)).toBeNull();
    expect(reproduction([{ type: "undo" } as Action, done("a", "d")].reduce(reduce, s))).toMatchObject({
      kind: "exact",
    });
  });
});

describe("a pinned result", () => {
  const pinned = () => {
    const before = stateAfter(example("a"), done("a", "of a"));
    return reduce(before, { type: "pin", answer: before.answer });
  };
  test("stays through changes, undo, redo and what is opened", () => {
    const later = [
      edit("b"),
      done("b", "of b"),
      { type: "undo" },
      { type: "redo" },
      example("c"),
    ] as Action[];
    const s = later.reduce(reduce, pinned());
    expect(s.pinned?.text).toBe("a");
    expect(s.pinned?.result.digest).toBe("of a");
  });
  test("is no step of undo, and is taken away by its own action alone", () => {
    expect(pinned().past).toEqual([]);
    expect(reduce(pinned(), { type: "pin", answer: null }).pinned).toBeNull();
  });
});
