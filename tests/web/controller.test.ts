// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Controller, type Draft, limit_from_elsewhere_s, limit_own_s } from "../../web/src/app/controller";
import { linkOf, readDocument } from "../../web/src/app/documents";
import { type Answer, isSettled } from "../../web/src/app/state";
import { openLink } from "../../web/src/base/link";
import type { Result } from "../../web/src/base/result";
import type { Pool, RunEvent } from "../../web/src/engine/pool";

const example = {
  file: "llama3-405b-16384-h100.json",
  text: '{\n  "prism": 1,\n  "run": { "seed": "5" }\n}\n',
};
const result = (digest = "0123456789abcdef") =>
  ({
    prism_result: 1,
    engine_version: "0.1.0",
    digest,
    seed: "5",
    trials_asked: 10000,
    trials: 10000,
  }) as Result;

/** A pool that only remembers what it was asked. */
class Recorder {
  runs: {
    text: string;
    limit: number;
    listener: (e: RunEvent) => void;
    cancelled: boolean;
    proceeded: boolean;
  }[] = [];
  size = 2;
  run(text: string, listener: (e: RunEvent) => void, limit: number) {
    const run = { text, limit, listener, cancelled: false, proceeded: false };
    this.runs.push(run);
    return {
      cancel() {
        run.cancelled = true;
      },
      proceed() {
        run.proceeded = true;
      },
    };
  }
  get last() {
    return this.runs.at(-1)!;
  }
  finish(digest?: string) {
    this.last.listener({ type: "done", result: result(digest), text: "{}", ms: 1 });
  }
}

let pool: Recorder;
let address: string;
let kept: Draft | null;
let keptPinned: Answer | null;
const open = () =>
  new Controller(pool as unknown as Pool, {
    now: () => Date.now(),
    fragment: () => address,
    replaceFragment(fragment) {
      address = fragment;
    },
    draft: {
      load: () => kept,
      save(draft) {
        kept = draft;
      },
    },
    pinned: {
      load: () => keptPinned,
      save(pinned) {
        keptPinned = pinned;
      },
    },
  });

beforeEach(() => {
  vi.useFakeTimers();
  pool = new Recorder();
  address = "";
  kept = null;
  keptPinned = null;
});
afterEach(() => vi.useRealTimers());

describe("the first screen", () => {
  test("runs the example when the address holds nothing", async () => {
    const app = open();
    await app.start(example);
    expect(pool.last).toMatchObject({ text: example.text, limit: limit_from_elsewhere_s });
    pool.finish();
    expect(isSettled(app.state)).toBe(true);
  });

  test("runs the link that the address holds, within the limit for what comes from elsewhere", async () => {
    address = linkOf(example.text, result());
    const app = open();
    await app.start(example);
    expect(app.state.doc.source).toEqual({ kind: "link", engine: "0.1.0", digest: "0123456789abcdef" });
    expect(JSON.parse(pool.last.text)).toEqual({ prism: 1, run: { seed: "5", trials: 10000 } });
    expect(pool.last.limit).toBe(2);
    const before = address;
    pool.finish();
    vi.advanceTimersByTime(1000);
    expect(address).toBe(before);
  });

  test("shows nothing in the place of a broken link", async () => {
    address = linkOf(example.text, result()).slice(0, -5);
    const app = open();
    await app.start(example);
    expect(pool.runs).toEqual([]);
    expect(app.state.doc.text).toBe("");
    expect(app.state.refusal).toMatchObject({ kind: "link", fault: { outcome: "truncated" } });
    app.openExample(example.file, example.text);
    expect(app.state.refusal).toBeNull();
    expect(pool.last.text).toBe(example.text);
  });

  test("offers the text of an earlier visit, unless it is what is shown", async () => {
    kept = { text: "earlier", fragment: "" };
    const app = open();
    await app.start(example);
    expect(app.state.draft).toBe("earlier");
    app.restoreDraft();
    expect(app.state.doc.text).toBe("earlier");
    app.undo();
    expect(app.state.doc.text).toBe(example.text);

    address = linkOf(example.text, result());
    kept = { text: "same, in other white space", fragment: address };
    const again = open();
    await again.start(example);
    expect(again.state.draft).toBeNull();
  });
});

describe("a change", () => {
  test("runs at once, typing after a pause; the older run is cancelled", async () => {
    const app = open();
    await app.start(example);
    const first = pool.last;
    app.edit("b", "changing tp");
    expect(first.cancelled).toBe(true);
    expect(pool.last).toMatchObject({ text: "b", limit: limit_own_s });
    const second = pool.last;
    app.edit("bc", "typing", { typing: true });
    expect(second.cancelled).toBe(true);
    expect(pool.last).toBe(second);
    vi.advanceTimersByTime(400);
    expect(pool.last.text).toBe("bc");
  });

  test("is kept as a draft, and its address once it is computed", async () => {
    const app = open();
    await app.start(example);
    pool.finish();
    app.edit('{"prism":1}', "typing");
    expect(kept).toEqual({ text: '{"prism":1}', fragment: "" });
    expect(app.link()).toBeNull();
    pool.finish("ffffffffffffffff");
    vi.advanceTimersByTime(1000);
    expect(await openLink(address)).toMatchObject({
      shared: { digest: "ffffffffffffffff", scenario: '{"prism":1,"run":{"trials":10000,"seed":"5"}}' },
    });
    expect(app.link()).toBe(address);
    expect(kept?.fragment).toBe(address);
  });

  test("an untouched example keeps the short address, also after undo", async () => {
    const app = open();
    await app.start(example);
    pool.finish();
    vi.advanceTimersByTime(1000);
    expect(address).toBe("");
    app.edit('{"prism":1}', "typing");
    pool.finish();
    vi.advanceTimersByTime(1000);
    expect(address).not.toBe("");
    app.undo();
    pool.finish();
    vi.advanceTimersByTime(1000);
    expect(address).toBe("");
  });

  test("what is held starts by Run, what was cancelled runs again without a limit", async () => {
    const app = open();
    await app.start(example);
    pool.last.listener({ type: "held", plan: {} as never, seconds: 40 });
    app.runNow();
    expect(pool.last.proceeded).toBe(true);
    app.cancel();
    expect(pool.last.cancelled).toBe(true);
    expect(app.state.run.phase).toBe("cancelled");
    app.runNow();
    expect(pool.last.limit).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a file", () => {
  test("a result document opens as its scenario, with the digest it promised", async () => {
    const document = `{"prism_result":1,"engine_version":"0.1.0","scenario":{"prism":1,"x":[1.50]},"digest":"abcdabcdabcdabcd"}`;
    const app = open();
    await app.start(example);
    await app.openText("r.json", document, "opening a file");
    expect(app.state.doc).toEqual({
      text: '{\n  "prism": 1,\n  "x": [1.50]\n}\n',
      source: { kind: "file", name: "r.json", engine: "0.1.0", digest: "abcdabcdabcdabcd" },
    });
    expect(pool.last.limit).toBe(limit_from_elsewhere_s);
    app.undo();
    expect(app.state.doc.source).toEqual({ kind: "example", file: example.file });
  });
  test("other text is the core's to judge; line ends and a byte order mark are made plain", async () => {
    const app = open();
    await app.start(example);
    await app.openText("x", "\ufeff{\r\n1}\r", "opening a file");
    expect(app.state.doc.text).toBe("{\n1}\n");
  });
  test("a text with a link opens the link; a broken one is refused and changes nothing", async () => {
    const app = open();
    await app.start(example);
    const link = `https://any.host/prism/${linkOf(example.text, result())}`;
    await app.openText("pasted", link, "pasting");
    expect(app.state.doc.source.kind).toBe("link");
    const before = app.state.doc;
    await app.openText("pasted", link.slice(0, -3), "pasting");
    expect(app.state.doc).toBe(before);
    expect(app.state.refusal?.kind).toBe("link");
    app.dismiss();
    expect(app.state.refusal).toBeNull();
  });
  test("one that is too large is refused", async () => {
    const app = open();
    await app.start(example);
    await app.openText("big", "x".repeat(8_000_001), "opening a file");
    expect(app.state.refusal).toMatchObject({ kind: "file", name: "big" });
    expect(app.state.doc.text).toBe(example.text);
  });
});

test("a scenario that is not JSON is left as it is", () => {
  expect(readDocument("{ not JSON")).toEqual({ scenario: "{ not JSON" });
  expect(readDocument('{"scenario":{}}')).toEqual({ scenario: '{"scenario":{}}' });
});

describe("a pinned result", () => {
  test("is a whole one of the present text, and outlasts a reload until it is taken away", async () => {
    const app = open();
    await app.start(example);
    app.pin();
    expect(app.state.pinned).toBeNull();
    pool.finish("1111111111111111");
    app.pin();
    app.edit('{"prism":1}', "typing");
    app.pin();
    expect(app.state.pinned?.text).toBe(example.text);

    const again = open();
    await again.start(example);
    expect(again.state.pinned?.result.digest).toBe("1111111111111111");
    again.unpin();
    const last = open();
    await last.start(example);
    expect(last.state.pinned).toBeNull();
  });
});
