// SPDX-License-Identifier: Apache-2.0
// What people read, and what files hold.
import { describe, expect, test } from "vitest";
import { csv, markdown, originOf, svgFile } from "../../web/src/base/exports";
import {
  answer,
  basis,
  cost,
  intervalText,
  layersText,
  pathReading,
  ranksReading,
} from "../../web/src/base/sentences";
import {
  barWidth,
  cumulativeTable,
  histogramTable,
  pathTable,
  quantileTable,
  ranksTable,
} from "../../web/src/base/tables";
import { sampleResult } from "./sample-result";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("the answer", () => {
  test("is one sentence with honest digits, and the step without variability beside it", () => {
    const text = answer(sampleResult());
    expect(plain(text.lead.join(""))).toBe("95 of 100 steps finish within 6.95 s.");
    expect(plain(text.rest)).toBe("Without variability every step would take 6.20 s.");
    expect(plain(text.guarantee)).toBe(
      "With 95 % confidence, at least 95 % of the steps this model describes finish within 6.955 s.",
    );
  });
  test("has no more digits than its interval needs, and the step without variability as many", () => {
    const text = answer(
      sampleResult({
        step: {
          p95: 6.77174,
          deterministic: 6.57721,
          intervals: { ...sampleResult().step_time_s.intervals, p95: [6.7715, 6.7721] },
        },
      }),
    );
    expect(plain(text.lead[1])).toBe("6.772 s");
    expect(plain(text.rest)).toBe("Without variability every step would take 6.577 s.");
  });
  test("does not guarantee what too few trials cannot", () => {
    const few = sampleResult({ step: { guarantee: { confidence: 0.95, coverage: 0.95, within: null } } });
    expect(answer(few).guarantee).toMatch(/^There are too few trials/);
  });
  test("says when nothing varies", () => {
    const fixed = sampleResult({ step: { min: 0.25, max: 0.25, p50: 0.25 } });
    expect(plain(answer(fixed).lead.join(""))).toBe("Every step takes 250 ms.");
    expect(cost(fixed.step_time_s)).toBe("");
  });
  test("an interval without an upper bound is an at least", () => {
    const step = sampleResult().step_time_s;
    step.intervals.p99_9 = [6.991, null];
    expect(plain(intervalText(step, "p99_9"))).toMatch(/^at least 6\.99\d* s$/);
  });
  test("names the trials it rests on", () => {
    expect(basis(sampleResult())).toBe("10,000 trials");
    expect(basis(sampleResult({ result: { trials: 256 } }))).toBe("first 256 of 10,000 trials");
  });
});

describe("readings", () => {
  test("what variability costs", () => {
    expect(plain(cost(sampleResult().step_time_s))).toBe(
      "Half of the steps take 4.8 % longer than without variability, the slowest 1 in 100 at least 13 % longer.",
    );
  });
  test("the critical path", () => {
    expect(plain(pathReading(sampleResult()))).toMatch(
      /75 % is compute and 25 % communication; the largest part is matrix multiplication, 75 %/,
    );
    expect(pathReading(sampleResult({ result: { critical_path: null } }))).toMatch(/after the trials/);
  });
  test("ranks", () => {
    expect(plain(ranksReading(sampleResult()))).toBe(
      "Pipeline ranks are idle for 7.7 % to 23.1 % of the step; rank 1 is the busiest.",
    );
    expect(ranksReading(sampleResult({ result: { ranks: [] } }))).toBe("");
  });
  test("layers", () => {
    expect(layersText([1, 2, 2, 1])).toBe("1 layer on 2, 2 layers on 2");
    expect(layersText([3, 3])).toBe("3 layers on each");
  });
});

describe("tables", () => {
  test("have a cell under each heading", () => {
    for (const table of [quantileTable, histogramTable, cumulativeTable, pathTable, ranksTable].map((f) =>
      f(sampleResult()),
    )) {
      for (const row of table.rows) {
        expect(row.shown).toHaveLength(table.headings.length);
        expect(row.exact).toHaveLength(table.keys.length);
      }
    }
  });
  test("the ordinary bin is the narrowest", () => expect(barWidth(sampleResult())).toBeCloseTo(0.1, 12));
  test("kinds stand by their share", () => {
    expect(pathTable(sampleResult()).rows.map((r) => r.exact[0])).toEqual(["gemm", "all_reduce"]);
  });
});

describe("files", () => {
  const provenance = {
    result: sampleResult({ result: { title: 'A "b", <c> &\nd' } }),
    link: "https://any.host/#v1.x",
  };
  test("CSV: origin in comments, exact numbers, quotes where needed", () => {
    const lines = csv("Pipeline ranks", ranksTable(provenance.result), originOf(provenance)).split("\r\n");
    expect(lines.slice(0, 7)).toEqual([
      "# Pipeline ranks",
      '# Title: A "b", <c> & d',
      "# Seed: 5",
      "# Trials: 10,000 trials",
      "# Engine: Prism 0.1.0",
      "# Digest: 0123456789abcdef",
      "# Link: https://any.host/#v1.x",
    ]);
    expect(lines[7]).toBe(
      "pipeline_rank,layers,compute_s,communication_s,idle_s,idle_over_step,idle_over_busy",
    );
    expect(lines[8]).toBe(`0,1 2,4,1,1.5,${1.5 / 6.5},${1.5 / 5}`);
    expect(lines.at(-1)).toBe("");
  });
  test("SVG: title, seed, version and link inside, nothing of the title is markup", () => {
    const file = svgFile({ markup: "<svg/>", width: 700, height: 200 }, "Step time", originOf(provenance));
    for (const line of originOf(provenance).lines) {
      expect(file).toContain(
        line
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;")
          .replaceAll('"', "&quot;"),
      );
    }
    expect(file).not.toContain("<c>");
  });
  test("Markdown: a title cannot break the link", () => {
    const text = markdown({ ...provenance, result: sampleResult({ result: { title: "a] (b) [c]" } }) });
    expect(text.startsWith("[a\\] (b) \\[c\\]](https://any.host/#v1.x): 95 of 100 steps finish within")).toBe(
      true,
    );
  });
});
