// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Pool, type RunEvent } from "../../web/src/engine/pool";
import { FakeWorker, madeOf, plan } from "./fake-engine";

let workers: FakeWorker[];
let answer: (text: string) => ReturnType<typeof plan> | null;

async function open(size: number): Promise<Pool> {
  workers = [];
  const pool = new Pool({
    size,
    module: Promise.resolve({} as WebAssembly.Module),
    spawn: () => {
      const worker = new FakeWorker((text) => answer(text));
      workers.push(worker);
      return worker;
    },
    now: () => Date.now(),
  });
  await started();
  return pool;
}

/** Lets the module's promise arrive and workers start. */
async function started() {
  await Promise.resolve();
  await Promise.resolve();
  for (const w of workers) while (w.inbox[0]?.type === "start") w.step();
}

/** Answers everything, choosing the worker by `pick`, until nothing is left. */
function drain(pick: (alive: FakeWorker[]) => FakeWorker = (alive) => alive[0]!) {
  for (let n = 0; n < 100_000; n++) {
    const alive = workers.filter((w) => !w.ended && w.inbox.length > 0);
    if (alive.length === 0) return;
    pick(alive).step();
  }
  throw new Error("it does not end");
}

function collect() {
  const events: RunEvent[] = [];
  return {
    events,
    listener: (event: RunEvent) => void events.push(event),
    of: <T extends RunEvent["type"]>(type: T) =>
      events.filter((e): e is Extract<RunEvent, { type: T }> => e.type === type),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  answer = () => plan({ pilot: 3, trials: 40, attribution: 2, check: 1 });
});
afterEach(() => vi.useRealTimers());

describe("a run", () => {
  test("ends in one result of all parts in order, for any number of workers and any order of answers", async () => {
    for (const size of [1, 2, 3, 7]) {
      for (let seed = 1; seed <= 20; seed++) {
        let s = seed;
        const pool = await open(size);
        const run = collect();
        pool.run("text", run.listener);
        drain((alive) => {
          s = (s * 48271) % 2147483647;
          return alive[s % alive.length]!;
        });
        const done = run.of("done");
        expect(done.length).toBe(1);
        const made = madeOf(done[0]!.result);
        expect(made).toEqual({ trials: Array.from({ length: 40 }, (_, i) => i), attribution: 2, check: 1 });
        expect(run.events.at(-1)?.type).toBe("done");
      }
    }
  });

  test.each([
    [1e6, 2],
    [5e6, 1],
  ])("of %i draws a unit shows the numbers of %i first, then of 4, 16 and all", async (draws, first) => {
    answer = () => plan({ trials: 40, attribution: 2 }, draws);
    const pool = await open(1);
    const run = collect();
    pool.run("text", run.listener);
    drain();
    const sizes = run.of("partial").map((e) => madeOf(e.result).trials.length);
    expect(sizes).toEqual([first, 4, 16, 40]);
    for (const event of run.of("partial")) {
      const made = madeOf(event.result).trials;
      expect(made).toEqual(made.map((_, i) => i));
    }
  });

  test("the first ever has its first numbers from one worker; then the others join, with its tables", async () => {
    const pool = await open(3);
    const run = collect();
    pool.run("text", run.listener);
    const prepares = () =>
      workers.map((w) => w.heard.flatMap((m) => (m.type === "prepare" ? [m.tables?.[0]] : [])));
    while (!workers[0]!.inbox.some((m) => m.type === "finish")) {
      expect(prepares()).toEqual([[undefined], [], []]);
      expect(workers[0]!.step()).toBe(true);
    }
    expect(prepares()).toEqual([[undefined], [7], [7]]);
    drain();
    expect(run.of("done").length).toBe(1);
  });

  test("later, on two, has its first numbers from one worker with the other's core free for the page", async () => {
    answer = () => plan({ pilot: 1, trials: 40, attribution: 2 });
    const pool = await open(2);
    pool.run("first", () => {});
    drain();
    for (const w of workers) w.heard.length = 0;
    const run = collect();
    pool.run("second", run.listener);
    const prepares = () =>
      workers.map((w) => w.heard.flatMap((m) => (m.type === "prepare" ? [m.tables?.[0]] : [])));
    while (!workers[0]!.inbox.some((m) => m.type === "finish")) {
      expect(prepares()).toEqual([[undefined], []]);
      expect(workers[0]!.step()).toBe(true);
    }
    expect(prepares()).toEqual([[undefined], [7]]);
    drain();
    expect(run.of("partial").map((e) => madeOf(e.result).trials.length)).toEqual([2, 4, 16, 40]);
  });

  test("later, on three or with a pilot of several units, is taken up by all as soon as there are tables", async () => {
    for (const [size, pilot] of [
      [3, 1],
      [2, 3],
    ] as const) {
      answer = () => plan({ pilot, trials: 40, attribution: 2 });
      const pool = await open(size);
      pool.run("first", () => {});
      drain();
      for (const w of workers) w.heard.length = 0;
      const run = collect();
      pool.run("second", run.listener);
      const tables = () =>
        workers.map((w) => w.heard.flatMap((m) => (m.type === "prepare" ? [m.tables?.[0]] : [])));
      expect(tables().flat()).toEqual([undefined]);
      workers[0]!.step();
      expect(tables().flat()).toEqual([undefined, ...Array(size - 1).fill(7)]);
      drain();
      expect(run.of("done").length).toBe(1);
    }
  });

  test("later loses no unit of a worker that fails before it has begun it", async () => {
    answer = () => plan({ pilot: 1, trials: 40, attribution: 2 });
    for (const failing of [0, 1]) {
      const pool = await open(2);
      pool.run("first", () => {});
      drain();
      const run = collect();
      pool.run("second", run.listener);
      workers[1 - failing]!.step();
      workers[failing]!.say({ type: "failed", message: "trap" });
      await started();
      drain();
      expect(madeOf(run.of("done")[0]!.result).trials).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }
  });

  test("later shares out a pilot of several units", async () => {
    answer = () => plan({ pilot: 3, trials: 8 });
    const pool = await open(2);
    pool.run("first", () => {});
    drain();
    for (const w of workers) w.heard.length = 0;
    const run = collect();
    pool.run("second", run.listener);
    drain((alive) => alive.at(-1)!);
    expect(run.of("done").length).toBe(1);
    const pilots = workers.flatMap((w) => w.heard).filter((m) => m.type === "unit" && m.phase === "pilot");
    expect(pilots.map((m) => (m.type === "unit" ? m.unit : -1))).toEqual([1, 2]);
  });

  test("of a single unit shows it before the account of where the time goes", async () => {
    answer = () => plan({ trials: 1, attribution: 2 });
    const pool = await open(2);
    pool.run("first", () => {});
    drain();
    const run = collect();
    pool.run("second", run.listener);
    drain();
    expect(run.of("partial").map((e) => madeOf(e.result).trials)).toEqual([[0]]);
  });

  test("needs no word from the page between preparing and the first trials", async () => {
    answer = () => plan({ pilot: 1, trials: 40, attribution: 2 });
    for (let seed = 1; seed <= 20; seed++) {
      let s = seed;
      const pool = await open(2);
      const run = collect();
      pool.run("text", run.listener);
      drain((alive) => {
        s = (s * 48271) % 2147483647;
        return alive[s % alive.length]!;
      });
      const units = workers.flatMap((w) => w.heard).filter((m) => m.type === "unit");
      expect(units.some((m) => (m.phase === "pilot" || m.phase === "trials") && m.unit === 0)).toBe(false);
      expect(workers[0]!.heard.some((m) => m.type === "learn")).toBe(false);
      const made = madeOf(run.of("done")[0]!.result);
      expect(made.trials).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }
  });

  test("after another is prepared afresh by every worker", async () => {
    const pool = await open(2);
    pool.run("first", () => {});
    drain();
    const run = collect();
    pool.run("second", run.listener);
    drain((alive) => alive.at(-1)!);
    expect(run.of("done").length).toBe(1);
    for (const w of workers)
      expect(w.heard.filter((m) => m.type === "prepare").map((m) => m.text)).toEqual(["first", "second"]);
  });

  test("is led by a worker that has nothing to finish", async () => {
    const pool = await open(2);
    pool.run("first", () => {});
    workers[0]!.step();
    workers[1]!.step();
    // Only the first one has heard of the cancel.
    pool.run("second", () => {});
    while (workers[0]!.step());
    const run = collect();
    pool.run("third", run.listener);
    const led = workers.map((w) => w.heard.some((m) => m.type === "prepare" && m.text === "third"));
    expect(led).toEqual([true, false]);
    drain();
    expect(run.of("done").length).toBe(1);
  });

  test("goes on when the one that prepares it fails", async () => {
    const pool = await open(2);
    const run = collect();
    pool.run("text", run.listener);
    workers[0]!.say({ type: "failed", message: "trap" });
    await started();
    expect(workers[2]!.heard.some((m) => m.type === "prepare")).toBe(true);
    drain();
    expect(run.of("done").length).toBe(1);
  });

  test("learns the pilot on every worker before any other unit", async () => {
    const pool = await open(3);
    pool.run("text", () => {});
    drain((alive) => alive.at(-1)!);
    for (const w of workers) {
      const learned = w.heard.findIndex((m) => m.type === "learn");
      const first = w.heard.findIndex((m) => m.type === "unit" && m.phase !== "pilot");
      if (first >= 0) expect(learned).toBeLessThan(first);
      const learn = w.heard[learned];
      if (learn?.type === "learn") expect(learn.pilot.map((p) => p[0])).toEqual([0, 1, 2]);
    }
  });

  test("without a pilot nothing is learned", async () => {
    answer = () => plan({ trials: 3 });
    const pool = await open(2);
    const run = collect();
    pool.run("text", run.listener);
    drain();
    expect(run.of("done").length).toBe(1);
    expect(workers.flatMap((w) => w.heard).some((m) => m.type === "learn")).toBe(false);
  });

  test("has only one unit in hand before the first numbers, then two", async () => {
    const pool = await open(1);
    pool.run("text", () => {});
    const waiting = () => workers[0]!.inbox.filter((m) => m.type === "unit").length;
    let most = 0;
    let finished = false;
    for (let i = 0; i < 30; i++) {
      if (workers[0]!.inbox.some((m) => m.type === "finish")) finished = true;
      if (!finished) expect(waiting()).toBeLessThanOrEqual(1);
      most = Math.max(most, waiting());
      expect(workers[0]!.step()).toBe(true);
    }
    expect(most).toBe(2);
  });

  test("progress never falls and ends at 1", async () => {
    const pool = await open(2);
    const run = collect();
    pool.run("text", run.listener);
    drain();
    const fractions = run.of("progress").map((e) => e.fraction);
    expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
    expect(fractions.at(-1)).toBeCloseTo(1, 12);
  });

  test("a refused text says so once", async () => {
    answer = () => null;
    const pool = await open(3);
    const run = collect();
    pool.run("text", run.listener);
    drain();
    expect(run.events.map((e) => e.type)).toEqual(["refused"]);
  });
});

describe("a run that is too long to start by itself", () => {
  test("waits for proceed, and only then does anything", async () => {
    answer = () => plan({ trials: 10 }, 1e9);
    const pool = await open(2);
    const run = collect();
    const ticket = pool.run("text", run.listener, 2);
    drain();
    expect(run.events.map((e) => e.type)).toEqual(["plan", "held"]);
    expect(run.of("held")[0]!.seconds).toBeCloseTo(1e10 / 0.3e9 / 2, 6);
    expect(workers.flatMap((w) => w.heard).some((m) => m.type === "unit")).toBe(false);
    ticket.proceed();
    drain();
    expect(run.of("done").length).toBe(1);
  });
  test("just below the limit starts", async () => {
    answer = () => plan({ trials: 1 }, 0.3e9 * 2 * 2);
    const pool = await open(2);
    const run = collect();
    pool.run("text", run.listener, 2);
    drain();
    expect(run.of("held").length).toBe(0);
  });
});

describe("cancel", () => {
  test("nothing more is heard, and the next run goes on with the same workers if they answer", async () => {
    const pool = await open(2);
    const first = collect();
    const ticket = pool.run("a", first.listener);
    for (let i = 0; i < 12; i++) workers[i % 2]!.step();
    const before = first.events.length;
    ticket.cancel();
    drain();
    vi.advanceTimersByTime(2000);
    expect(first.events.length).toBe(before);
    expect(workers.length).toBe(2);
    const second = collect();
    pool.run("b", second.listener);
    drain();
    expect(second.of("done").length).toBe(1);
  });

  test("the newest run wins: late parts of the older one are dropped", async () => {
    const pool = await open(2);
    const first = collect();
    pool.run("a", first.listener);
    for (let i = 0; i < 10; i++) workers[i % 2]!.step();
    const second = collect();
    const before = first.events.length;
    pool.run("b", second.listener);
    drain((alive) => alive.at(-1)!);
    expect(first.events.length).toBe(before);
    expect(madeOf(second.of("done")[0]!.result).trials.length).toBe(40);
  });

  test("a worker that does not answer in half a second is replaced", async () => {
    const pool = await open(2);
    const ticket = pool.run("a", () => {});
    for (let i = 0; i < 10; i++) workers[i % 2]!.step();
    const silent = workers[0]!;
    ticket.cancel();
    while (workers[1]!.step());
    vi.advanceTimersByTime(499);
    expect(silent.ended).toBe(false);
    vi.advanceTimersByTime(2);
    expect(silent.ended).toBe(true);
    expect(workers[1]!.ended).toBe(false);
    await started();
    const next = collect();
    pool.run("b", next.listener);
    drain();
    expect(next.of("done").length).toBe(1);
  });

  test("an idle worker is not disturbed", async () => {
    const pool = await open(1);
    const ticket = pool.run("a", () => {});
    drain();
    ticket.cancel();
    vi.advanceTimersByTime(1000);
    expect(workers.length).toBe(1);
  });
});

describe("a worker that fails", () => {
  test("is replaced, and its units are done by others", async () => {
    for (const after of [2, 5, 9, 14, 20, 33, 44]) {
      const pool = await open(2);
      const run = collect();
      pool.run("a", run.listener);
      for (let i = 0; i < after; i++) workers[i % 2]!.step();
      workers[1]!.say({ type: "failed", message: "trap" });
      expect(workers[1]!.ended).toBe(true);
      await started();
      drain((alive) => alive.at(-1)!);
      expect(madeOf(run.of("done")[0]!.result).trials).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }
  });

  test("while it writes the last result, another writes it", async () => {
    const pool = await open(1);
    const run = collect();
    pool.run("a", run.listener);
    for (let n = 0; n < 1000; n++) {
      const finish = workers[0]!.inbox.find((m) => m.type === "finish");
      if (finish?.type === "finish" && finish.parts.attribution.length > 0) break;
      expect(workers[0]!.step()).toBe(true);
    }
    workers[0]!.onerror?.({ message: "gone" });
    await started();
    drain();
    expect(run.of("done").length).toBe(1);
  });

  test("again and again ends the run with its words", async () => {
    const pool = await open(1);
    const run = collect();
    pool.run("a", run.listener);
    for (let n = 0; n < 3; n++) {
      workers.at(-1)!.step();
      workers.at(-1)!.say({ type: "failed", message: "memory access out of bounds" });
      await started();
    }
    expect(run.events.at(-1)).toEqual({ type: "failed", message: "memory access out of bounds" });
  });

  test("before any could start ends this run and the next with words", () => {
    workers = [];
    const dead = new Pool({
      size: 1,
      module: Promise.resolve({} as WebAssembly.Module),
      spawn: () => {
        const worker = new FakeWorker(() => null);
        workers.push(worker);
        return worker;
      },
    });
    const run = collect();
    dead.run("a", run.listener);
    for (let n = 0; n < 3; n++) workers.at(-1)!.say({ type: "failed", message: "no memory" });
    expect(run.events.at(-1)).toEqual({ type: "failed", message: "no memory" });
    const next = collect();
    dead.run("b", next.listener);
    expect(next.of("failed").length).toBe(1);
  });
});

test("presets are asked for once and survive a replaced worker", async () => {
  const pool = await open(1);
  const asked = pool.presets();
  workers[0]!.onerror?.({ message: "gone" });
  await started();
  drain();
  expect(await asked).toBe("{}");
  expect(pool.presets()).toBe(asked);
});
