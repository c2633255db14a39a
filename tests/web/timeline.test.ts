// SPDX-License-Identifier: Apache-2.0
// A timeline by hand: two ranks, two micro-batches, 1F1B. What is said of each piece, and the ways between them.
import { describe, expect, test } from "vitest";
import {
  cause,
  inStep,
  type Move,
  moved,
  type Piece,
  panned,
  pieceAt,
  piecesOf,
  rowsOf,
  showing,
  spanOf,
  type Timeline,
  type TimelineStep,
  zoomed,
} from "../../web/src/base/timeline";
import {
  chunksTable,
  explanation,
  followText,
  spentTable,
  stepName,
  timelineReading,
  waitsTable,
} from "../../web/src/base/timeline-words";
import { frameFor, type Ink, paintTimeline, ticksOf } from "../../web/src/charts/timeline";

/** Numbers stand before their unit with a space that does not break. */
const plain = (text: string) => text.replaceAll(/\s/g, " ");
const ms = 1e6;

const step: TimelineStep = {
  mass: 0.5,
  trial: 7,
  step_s: 0.1,
  replica: 3,
  decided_by_rank: 0,
  ranks: [
    {
      compute_s: 0.0525,
      communication_s: 0.0075,
      waiting_s: 0.02,
      after_its_chunks_s: 0.004,
      with_other_replicas_s: 0.016,
    },
    {
      compute_s: 0.054,
      communication_s: 0.006,
      waiting_s: 0.011,
      after_its_chunks_s: 0,
      with_other_replicas_s: 0.029,
    },
  ],
  //          F0      F1       F0'      B0'      F1'      B1'       B0       B1
  start_ns: [0 * ms, 10 * ms, 11 * ms, 21 * ms, 41 * ms, 51 * ms, 42 * ms, 72 * ms],
  end_ns: [10 * ms, 20 * ms, 21 * ms, 41 * ms, 51 * ms, 71 * ms, 62 * ms, 82 * ms],
  wait_ns: [0, 0, 11 * ms, 0, 0, 0, 22 * ms, 10 * ms],
  communication_ns: [1 * ms, 1 * ms, 1 * ms, 2 * ms, 1 * ms, 2 * ms, 2 * ms, 3.5 * ms],
  transfer_ns: [1 * ms, 1 * ms, 0, 1 * ms, 0, 1 * ms, 0, 0],
  critical: [1, 0, 1, 1, 1, 1, 0, 1],
};
const timeline: Timeline = {
  prism_study: "timeline",
  engine_version: "0.1.0",
  title: "",
  seed: "1",
  trials: 256,
  ranks: 2,
  replicas: 4,
  schedule: "1f1b",
  passes: ["forward", "backward", "weight"],
  chunks: {
    rank: [0, 0, 1, 1, 1, 1, 0, 0],
    stage: [0, 0, 1, 1, 1, 1, 0, 0],
    pass: [0, 0, 0, 1, 0, 1, 1, 1],
    micro_batch: [0, 1, 0, 0, 1, 1, 0, 1],
    waits_for: [-1, -1, 0, -1, 1, -1, 3, 5],
  },
  steps: [step, { ...step, mass: 0.95, trial: 9, wait_ns: [0, 0, 11 * ms, 0, 0, 0, 0, 10 * ms] }],
  digest: "0123456789abcdef",
};
const rows = rowsOf(timeline, step);
const wait = (chunk: number): Piece => ({ kind: "wait", rank: timeline.chunks.rank[chunk]!, chunk });
const run = (chunk: number): Piece => ({ ...wait(chunk), kind: "chunk" });
const said = (piece: Piece) => plain(explanation(rows, piece));

describe("words", () => {
  test("a wait says for what, until when, how long the sending took, and whether it decided the step", () => {
    expect(said(wait(7))).toBe(
      "Rank 0 waits 10.0 ms before the backward of micro-batch 1 (stage 0) for rank 1, whose backward of micro-batch 1 (stage 1) ended at 71.000 ms and took 1.00 ms to send. On the path that decided the step: it comes to this rank by that transfer.",
    );
    expect(said(wait(6))).toMatch(
      /^Rank 0 waits 22.0 ms before the backward of micro-batch 0 .* Not on the path that decided the step\.$/,
    );
  });

  test("a chunk says when it ran, its collectives, and why it began then", () => {
    expect(said(run(3))).toBe(
      "Rank 1, backward of micro-batch 0 (stage 1): from 21.000 ms to 41.000 ms, 20.0 ms, of which 2.00 ms in collectives. It began as soon as the rank had ended the forward of micro-batch 0 (stage 1). On the path that decided the step.",
    );
    expect(said(run(6))).toMatch(
      /Before it the rank waited 22.0 ms for rank 1, whose backward of micro-batch 0/,
    );
    expect(said(run(0))).toMatch(/It began with the step\./);
  });

  test("after its chunks a rank works by itself, then with the other replicas", () => {
    const [own, others] = piecesOf(rows, 0).slice(-2);
    expect(said(own!)).toBe("After its last chunk, at 82.000 ms, rank 0 works 4.00 ms more by itself.");
    expect(said(others!)).toBe(
      "From 86.000 ms to the end of the step rank 0 is with the other replicas for 14.0 ms: the reduction, and waiting for the latest replica. This rank decided the step.",
    );
    expect(said(piecesOf(rows, 1).at(-1)!)).not.toContain("decided");
  });

  test("the reading names the step, who decided it and how long ranks wait", () => {
    expect(plain(timelineReading(timeline, step))).toBe(
      "The median step took 100.000 ms: replica 3 of 4 decided it, on pipeline rank 0. The path that decided it runs over 6 of 8 chunks. Its ranks stood waiting within the pipeline for 11.0 % to 20.0 % of the step.",
    );
    expect([0.95, 0.999].map((mass) => stepName({ ...step, mass }))).toEqual([
      "the step at p95",
      "the step at p99.9",
    ]);
    expect(timelineReading({ ...timeline, replicas: 1 }, step)).not.toContain("replica");
  });

  test("tables: five seconds a rank that add up to the step, the longest waits, one line a chunk and step", () => {
    expect(spentTable(step).rows.map((row) => plain(row.shown.join("; ")))).toEqual([
      "0; 52.5000; 7.5000; 20.0000; 4.00; 16.0000; 20.0 %",
      "1; 54.0000; 6.0000; 11.0000; 0.00; 29.0000; 11.0 %",
    ]);
    expect(spentTable(step).headings[4]).toBe("After its chunks (ms)");
    expect(waitsTable(rows).headings[1]).toBe("Waits (ms)");
    expect(waitsTable(rows).rows.map((row) => row.shown[1])).toEqual(["22.0", "11.0", "10.0"]);
    expect(waitsTable(rows).rows.map((row) => row.exact.slice(0, 4))).toEqual([
      [0, 22 * ms * 1e-9, "backward of micro-batch 0 (stage 0)", 1],
      [1, 11 * ms * 1e-9, "forward of micro-batch 0 (stage 1)", 0],
      [0, 10 * ms * 1e-9, "backward of micro-batch 1 (stage 0)", 1],
    ]);
    const all = chunksTable(timeline);
    expect(all.rows).toHaveLength(16);
    expect(Object.fromEntries(all.keys.map((key, i) => [key, all.rows[15]!.exact[i]]))).toEqual({
      quantile: 0.95,
      trial: 9,
      rank: 0,
      stage: 0,
      pass: "backward",
      micro_batch: 1,
      start_s: 0.072,
      end_s: 0.082,
      wait_s: 0.01,
      communication_s: 0.0035,
      transfer_s: 0,
      critical: 1,
      waits_for_row: 5,
    });
  });
});

describe("the walk", () => {
  const walk = (from: Piece | null, ...moves: Move[]) =>
    moves.reduce<Piece | null>((piece, move) => moved(rows, piece, move), from);

  test("along a rank piece by piece, and no further than its ends", () => {
    expect(walk(null, "next")).toEqual(run(0));
    expect(walk(null, "last")?.kind).toBe("others");
    expect(walk(run(0), "previous")).toEqual(run(0));
    expect(walk(run(0), "next", "next")).toEqual(wait(6));
    expect(walk(run(0), "next", "next", "next")).toEqual(run(6));
    expect(walk(run(0), "last")?.kind).toBe("others");
    expect(walk(run(0), "last", "next")?.kind).toBe("others");
    expect(walk(run(7), "first")).toEqual(run(0));
  });

  test("from wait to wait", () => {
    expect(walk(null, "next-wait")).toEqual(wait(6));
    expect(walk(wait(6), "next-wait")).toEqual(wait(7));
    expect(walk(wait(7), "next-wait")).toEqual(wait(7));
    expect(walk(run(7), "previous-wait", "previous-wait")).toEqual(wait(6));
  });

  test("between ranks to what goes on at that time", () => {
    expect(walk(wait(6), "below")).toEqual(run(3)); // 31 ms
    expect(walk(wait(2), "above")).toEqual(run(0)); // 5.5 ms
    expect(walk(run(0), "above")).toEqual(run(0));
    expect(walk(run(2), "below")).toEqual(run(2));
  });

  test("following leads back over what was waited for to the beginning of the step", () => {
    const seen: Piece[] = [];
    for (let piece: Piece | null = wait(7); piece; piece = cause(rows, piece)) seen.push(piece);
    expect(seen).toEqual([wait(7), run(5), run(4), run(3), run(2), run(0)]);
    expect(walk(wait(7), "follow")).toEqual(run(5));
    expect(followText(rows, wait(7))).toBe("Go to what it waited for, on rank 1");
    expect(followText(rows, run(5))).toBe("Go to what the rank did before");
    expect(followText(rows, run(0))).toBe(null);
  });

  test("every piece is found at its own time, and pieces leave no gap", () => {
    for (const rank of [0, 1]) {
      let ended = 0;
      for (const piece of piecesOf(rows, rank)) {
        const { from, to } = spanOf(rows, piece);
        if (piece.kind !== "others") expect(from).toBeCloseTo(ended, 0);
        expect(pieceAt(rows, rank, (from + to) / 2)).toEqual(piece);
        ended = to;
      }
      expect(pieceAt(rows, rank, 1e12)?.kind).toBe("others");
    }
  });

  test("where another step has no such wait the chunk after it is chosen", () => {
    const other = rowsOf(timeline, timeline.steps[1]!);
    expect(inStep(other, wait(6))).toEqual(run(6));
    expect(inStep(other, wait(7))).toEqual(wait(7));
  });
});

describe("the window", () => {
  const limit = { from: 0, to: 100 * ms };
  test("zooming keeps the time under the pointer and never leaves the step", () => {
    expect(zoomed(limit, 0.5, 20 * ms, limit)).toEqual({ from: 10 * ms, to: 60 * ms });
    expect(zoomed({ from: 0, to: 50 * ms }, 4, 10 * ms, limit)).toEqual(limit);
    const least = zoomed({ from: 0, to: 2000 }, 1e-6, 1000, limit);
    expect(least.to - least.from).toBe(1000);
  });
  test("panning stops at the ends", () => {
    expect(panned({ from: 10, to: 20 }, -50, { from: 0, to: 100 })).toEqual({ from: 0, to: 10 });
    expect(panned({ from: 10, to: 20 }, 500, { from: 0, to: 100 })).toEqual({ from: 90, to: 100 });
  });
  test("it moves only to what it does not show", () => {
    const window = { from: 10, to: 20 };
    expect(showing(window, { from: 12, to: 14 }, { from: 0, to: 100 })).toBe(window);
    expect(showing(window, { from: 50, to: 60 }, { from: 0, to: 100 })).toEqual({ from: 50, to: 60 });
  });
});

test("painted is what lies in the window: each chunk in its pass's ink, the path and the collectives in it", () => {
  const painted = (window: { from: number; to: number }) => {
    const count: Partial<Record<Ink, number>> = {};
    const surface = {
      rect: (ink: Ink, x: number, _y: number, width: number) => {
        expect(x).toBeGreaterThanOrEqual(30);
        expect(x + width).toBeLessThanOrEqual(592.5);
        count[ink] = (count[ink] ?? 0) + 1;
      },
      line: () => {},
      text: () => {},
    };
    paintTimeline(surface, rows, window, frameFor(600, 2));
    return count;
  };
  expect(painted({ from: 0, to: 100 * ms })).toEqual({
    idle: 2,
    forward: 4,
    backward: 4,
    collectives: 8,
    gap: 6,
    path: 6,
    after: 1,
    others: 2,
  });
  expect(painted({ from: 30 * ms, to: 38 * ms })).toEqual({ idle: 2, backward: 1, gap: 1, path: 1 });
});

test("ticks are round and as many as there is room for", () => {
  expect(ticksOf({ from: 0, to: 6.77 }, 8).map((t) => t.at)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(ticksOf({ from: 0.29, to: 0.53 }, 6).map((t) => t.at.toFixed(t.decimals))).toEqual([
    "0.30",
    "0.35",
    "0.40",
    "0.45",
    "0.50",
  ]);
});
