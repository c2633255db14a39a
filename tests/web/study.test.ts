// SPDX-License-Identifier: Apache-2.0
// Studies as people read them, and how workers share one.
import { expect, test } from "vitest";
import type { Result } from "../../web/src/base/result";
import {
  type Difference,
  drawnVariants,
  type Estimate,
  inWords,
  leftText,
  ranking,
  type Study,
  type StudyName,
  type StudyVariant,
  studyReading,
  studyTable,
} from "../../web/src/base/study";
import { StudyRefused, type StudyWorker, startStudy } from "../../web/src/engine/study";
import type { StudyReply, StudyTask } from "../../web/src/engine/study-messages";

const about = (value: number): Estimate => ({ value, interval: [value - 0.01, value + 0.01] });
/** Numbers stand before their unit with a space that does not break. */
const plain = (text: string) => text.replaceAll(/\s/g, " ");
const change = (value: number, differs = true): Difference => ({ ...about(value), differs });

function variant(name: string, p95: number, at: Record<string, number> = {}): StudyVariant {
  return {
    name,
    at,
    fault: null,
    deterministic_s: 9,
    mean_s: about(9.5),
    sd_s: about(0.2),
    p50_s: about(9.5),
    p95_s: about(p95),
    p99_s: about(p95 + 0.1),
    difference: {
      mean_s: change(0),
      sd_s: change(0),
      p50_s: change(0),
      p95_s: change(p95 - 10),
      p99_s: change(p95 - 10),
    },
    p95_from_best_s: change(0),
    quantiles_s: [9, 9.5, p95],
    scenario: {},
  };
}

function study(change: Partial<Study>): Study {
  return {
    prism_study: "compare",
    title: "",
    seed: "1",
    trials: 1024,
    blocks: 16,
    masses: [0.05, 0.5, 0.95],
    variants: [variant("as it is", 10), variant("slower", 11), variant("faster", 9.8)],
    best_mean: 1,
    best_p95: 2,
    tied_with_best_p95: [2, 0],
    answer: {},
    left_out: [],
    warnings: [],
    notes: [],
    digest: "0123456789abcdef",
    ...change,
  };
}

test("the ranking is by p95 and says what cannot be told apart", () => {
  expect(ranking(study({})).map((r) => r.variant.name)).toEqual(["faster", "as it is", "slower"]);
  expect(plain(studyReading(study({})))).toBe(
    "The least p95 has faster: 9.80 s. 1 more cannot be told apart from it. The least mean has slower.",
  );
  expect(studyTable(study({})).rows.map((r) => r.exact[0])).toEqual(["faster", "as it is", "slower"]);
});

test("layouts slower than twice the best are not drawn, and counted", () => {
  const all = study({ variants: [variant("as it is", 30), variant("best", 10), variant("near", 20)] });
  const { rows, left } = drawnVariants(all);
  expect(rows.map((r) => r.variant.name)).toEqual(["best", "near"]);
  expect(leftText(all, left)).toBe("1 slower layout is in the data table alone.");
  const swept = drawnVariants({ ...all, prism_study: "scale-variability" });
  expect(swept.rows.map((r) => r.index)).toEqual([0, 1, 2]);
  expect(leftText(all, swept.left)).toBe("");
});

test("the scenario itself is marked among layouts where it does not fit into memory", () => {
  const memory = (fits: "yes" | "no") => ({ fits, most: 394.2, gpu: 80 }) as NonNullable<Result["memory"]>;
  const named = (fits: "yes" | "no") => inWords(study({}), memory(fits)).variants.map((v) => v.name);
  expect(named("no")).toEqual(["as it is (needs 394 of 80 GiB)", "slower", "faster"]);
  expect(named("yes")).toEqual(["as it is", "slower", "faster"]);
});

test("variants are named in the words of the page", () => {
  const named = (prism_study: StudyName, ...names: string[]) =>
    inWords(study({ prism_study, variants: names.map((name) => variant(name, 1)) }), null).variants.map(
      (v) => v.name,
    );
  expect(named("sensitivity", "as it is", "gemm without variability", "send_recv times 0.9")).toEqual([
    "as it is",
    "matrix multiplication without variability",
    "pipeline transfer times 0.9",
  ]);
  expect(named("scaling", "32 GPUs", "131072 GPUs")).toEqual(["32 GPUs", "131,072 GPUs"]);
  expect(named("placement", "none slow", "stage 0, 1.05 x")).toEqual(["none slow", "stage 0, 1.05 ×"]);
});

test("small changes are shown with the program's digits", () => {
  const effect = (value: number, half: number) => ({
    kind: "send_recv",
    whole_class: false,
    class: "communication" as const,
    silenced: {
      variant: 1,
      mean_s: change(0),
      sd_s: change(0),
      p95_s: { value, interval: [value - half, value + half] as [number, number], differs: false },
    },
    critical_path_share: 0.001,
  });
  const shown = (value: number, half: number) =>
    plain(
      studyTable(study({ prism_study: "sensitivity", answer: { kinds: [effect(value, half)] } })).rows[0]!
        .shown[1]!,
    );
  expect(shown(-0.000115, 0.000001)).toBe("−0.00115 % (−0.00116 % to −0.00114 %)");
  expect(shown(-0.206, 0.004)).toBe("−2.06 % (−2.10 % to −2.02 %)");
  expect(shown(0, 0)).toBe("0 %");
});

test("a refused variant is in no ranking", () => {
  const refused = { ...variant("refused", 1), fault: "it breaks a rule" };
  const all = study({ variants: [variant("as it is", 10), refused] });
  expect(ranking(all)).toHaveLength(1);
  expect(studyTable(all).rows).toHaveLength(1);
});

test("sensitivity names the kinds that can be told from none, in order", () => {
  const effect = (kind: string, p95: number, differs = true) => ({
    kind,
    whole_class: false,
    class: "communication" as const,
    silenced: { variant: 1, mean_s: change(0), sd_s: change(0), p95_s: change(p95, differs) },
    critical_path_share: 0.1,
  });
  const kinds = [effect("all_gather", -0.5), effect("reduce_scatter", -0.2), effect("gemm", 0, false)];
  const text = studyReading(study({ prism_study: "sensitivity", answer: { kinds } }));
  expect(plain(text)).toContain("all-gather the p95 would be 5.00 % shorter; next come reduce-scatter.");
  expect(text).not.toContain("gemm");
  const none = studyReading(
    study({ prism_study: "sensitivity", answer: { kinds: [effect("gemm", 0, false)] } }),
  );
  expect(none).toContain("can be told from none");
});

test("a scenario that cannot be played says so", () => {
  expect(studyReading(study({ answer: null }))).toBe("The scenario could not be played.");
});

/** A worker that answers at once, in the order in which `hold` lets it. */
class FakeWorker implements StudyWorker {
  onmessage: StudyWorker["onmessage"] = null;
  onerror: StudyWorker["onerror"] = null;
  ended = false;
  constructor(
    private readonly units: number,
    private readonly log: string[],
    private readonly fault?: StudyReply,
  ) {}
  postMessage(task: StudyTask) {
    queueMicrotask(() => {
      if (this.ended) return;
      this.log.push(task.type);
      if (task.type === "plan" && this.fault) return this.say(this.fault);
      if (task.type === "plan") {
        const units = Array.from({ length: this.units }, (_, i) => ({ name: `${i}`, work: 1 }));
        return this.say({ type: "planned", units });
      }
      if (task.type === "unit")
        return this.say({ type: "part", unit: task.unit, bytes: new Uint8Array([task.unit]) });
      this.say({ type: "finished", text: JSON.stringify({ digest: task.parts.map((p) => p[0]).join(",") }) });
    });
  }
  say(data: StudyReply) {
    this.onmessage?.({ data } as MessageEvent<StudyReply>);
  }
  terminate() {
    this.ended = true;
  }
}

function started(size: number, fault?: StudyReply) {
  const workers: FakeWorker[] = [];
  const log: string[] = [];
  const shares: number[] = [];
  const running = startStudy({
    text: "{}",
    question: { study: "sensitivity" },
    module: Promise.resolve({} as WebAssembly.Module),
    size,
    spawn: () => {
      workers.push(new FakeWorker(7, log, fault));
      return workers.at(-1)!;
    },
    progress: (share) => shares.push(share),
  });
  return { running, workers, log, shares };
}

test.each([1, 2, 5])("%d workers play every variant once and hand in the parts in order", async (size) => {
  const { running, workers, log, shares } = started(size);
  const answer = await running.answer;
  expect(answer.digest).toBe("0,1,2,3,4,5,6");
  expect(log.filter((type) => type === "unit")).toHaveLength(7);
  expect(shares.at(-1)).toBe(1);
  expect(workers.every((worker) => worker.ended)).toBe(true);
});

test("a refused question and a worker that fails end the study", async () => {
  const errors = [{ code: "inconsistent", message: "nothing is left to compare" }] as never;
  await expect(started(2, { type: "refused", errors }).running.answer).rejects.toBeInstanceOf(StudyRefused);
  await expect(started(2, { type: "failed", message: "out of memory" }).running.answer).rejects.toThrow(
    "out of memory",
  );
});

test("cancel ends the workers", async () => {
  const { running, workers } = started(3);
  await Promise.resolve();
  running.cancel();
  expect(workers.every((worker) => worker.ended)).toBe(true);
});

test("cancel before the module is here starts no worker", async () => {
  const { running, workers } = started(3);
  running.cancel();
  await Promise.resolve();
  expect(workers).toEqual([]);
});
