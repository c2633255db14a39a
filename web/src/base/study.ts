// SPDX-License-Identifier: Apache-2.0
// The document of a study (docs/studies.md), in words and tables.
import * as format from "./format";
import type { Diagnostic, Result } from "./result";
import { kindText } from "./sentences";
import type { Table } from "./tables";

export type StudyName = "sensitivity" | "placement" | "scaling" | "compare" | "scale-variability" | "sweep";

export interface Estimate {
  value: number;
  interval: [number, number];
}
export interface Difference extends Estimate {
  differs: boolean;
}
export interface StudyVariant {
  name: string;
  at: Record<string, number>;
  fault: string | null;
  deterministic_s: number;
  mean_s: Estimate;
  sd_s: Estimate;
  p50_s: Estimate;
  p95_s: Estimate;
  p99_s: Estimate;
  difference: {
    mean_s: Difference;
    sd_s: Difference;
    p50_s: Difference;
    p95_s: Difference;
    p99_s: Difference;
  };
  p95_from_best_s: Difference;
  quantiles_s: number[];
  scenario: unknown;
}
export interface KindEffect {
  kind: string;
  whole_class: boolean;
  class: "compute" | "communication";
  silenced: { variant: number; mean_s: Difference; sd_s: Difference; p95_s: Difference };
  critical_path_share: number | null;
}
export interface PlacementAnswer {
  factor: number;
  best: number;
  worst: number;
  worst_over_none_p95: number;
  worst_over_best_p95: number;
}
export interface ScalingPoint {
  variant: number;
  gpus: number;
  efficiency_p50: number;
  efficiency_p95: number;
  slow_down: number[];
  probability: number[];
}
export interface Study {
  prism_study: StudyName;
  title: string;
  seed: string;
  trials: number;
  blocks: number;
  masses: number[];
  variants: StudyVariant[];
  best_mean: number;
  best_p95: number;
  tied_with_best_p95: number[];
  answer: { kinds?: KindEffect[]; by_factor?: PlacementAnswer[]; points?: ScalingPoint[] } | null;
  left_out: { name: string; why: string }[];
  notes: string[];
  /** Of the scenario itself. */
  warnings: Diagnostic[];
  digest: string;
}

export interface StudyUnit {
  name: string;
  work: number;
}
export type Planned =
  | { ok: true; handle: number; plan: { units: StudyUnit[]; notes: string[] } }
  | { ok: false; errors: Diagnostic[] };

export const played = (study: Study) => study.variants.filter((v) => v.fault === null);

/** "all compute", "gemm". */
export const effectName = (k: KindEffect) => (k.whole_class ? `all ${k.kind}` : kindText(k.kind));

/** With the digits that the program prints: two to five decimals, by the interval. */
function relative({ value, interval: [low, high] }: Difference, of: number): string {
  if (value === 0 && low === 0 && high === 0) return format.percent(0, 0);
  const wanted = format.decimalsFor((100 * value) / of, (50 * (high - low)) / of);
  const decimals = Math.min(5, Math.max(2, wanted));
  const signed = (x: number) => `${x < 0 ? "−" : "+"}${format.percent(Math.abs(x / of), decimals)}`;
  return `${signed(value)} (${signed(low)} to ${signed(high)})`;
}

/** Variants in the order of their p95. */
export const ranking = (study: Study) =>
  study.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.fault === null)
    .sort((a, b) => a.variant.p95_s.value - b.variant.p95_s.value);

const most_rows = 20;
/** Times the best p95: a layout beyond it would leave the good ones no width to differ in. */
const farthest = 2;

/** What is drawn of a list of variants: of layouts, those near the best; and how many are left to the table. */
export function drawnVariants(study: Study): { rows: ReturnType<typeof ranking>; left: number } {
  const ranked = ranking(study);
  const compared = study.prism_study === "compare";
  const limit = compared ? farthest * (ranked[0]?.variant.p95_s.value ?? 0) : Number.POSITIVE_INFINITY;
  const all = compared ? ranked : [...ranked].sort((a, b) => a.index - b.index);
  const rows = all.filter((r) => r.variant.p95_s.value <= limit).slice(0, most_rows);
  return { rows, left: all.length - rows.length };
}

/** "7 slower ones are in the data table alone." */
export function leftText({ prism_study }: Study, left: number): string {
  if (left === 0) return "";
  const which = prism_study === "compare" ? (left === 1 ? "slower layout" : "slower layouts") : "more";
  return `${format.count(left)} ${which} ${left === 1 ? "is" : "are"} in the data table alone.`;
}

/** The names that the core gives to variants, in words, by study. */
const variantTexts: Partial<Record<StudyName, (name: string) => string>> = {
  sensitivity: (name) => name.replace(/^\S+(?= (without|times) )/, kindText),
  scaling: (name) => name.replace(/^\d+/, (gpus) => format.count(Number(gpus))),
  placement: (name) => name.replace(/ x$/, " ×"),
};

/**
 * The study with names in words. Among layouts the scenario itself is played even where it needs more memory than
 * there is: then its name says so.
 */
export function inWords(study: Study, memory: Result["memory"]): Study {
  const text = variantTexts[study.prism_study] ?? ((name: string) => name);
  const note =
    study.prism_study === "compare" && memory?.fits === "no"
      ? ` (needs ${format.count(memory.most)} of ${format.count(memory.gpu)} GiB)`
      : "";
  const variants = study.variants.map((v, i) => ({ ...v, name: text(v.name) + (i === 0 ? note : "") }));
  return { ...study, variants };
}

export function studyReading(study: Study): string {
  const { answer, variants } = study;
  const base = variants[0];
  if (!answer || !base) return "The scenario could not be played.";
  const name = (index: number) => variants[index]?.name ?? "";
  if (answer.kinds) {
    const told = answer.kinds.filter((k) => !k.whole_class && k.silenced.p95_s.differs);
    const first = told[0];
    if (!first) return "No kind's variability can be told from none by its effect on the p95.";
    const gain = format.percent(Math.abs(first.silenced.p95_s.value / base.p95_s.value), 2);
    const others = told.slice(1, 3).map(effectName).join(", then ");
    return `Without the variability of ${effectName(first)} the p95 would be ${gain} shorter${others ? `; next come ${others}` : ""}.`;
  }
  if (answer.by_factor) {
    const last = answer.by_factor.at(-1);
    if (!last) return "No position was played.";
    return `A node ${format.significant(last.factor, 3)} times slower costs most at ${name(last.worst).replace(/,[^,]*$/, "")}: the p95 grows ${format.significant(last.worst_over_none_p95, 4)} times, and is ${format.significant(last.worst_over_best_p95, 4)} times that of the best position.`;
  }
  if (answer.points) {
    const [first, last] = [answer.points[0], answer.points.at(-1)];
    if (!first || !last) return "No size was played.";
    return `From ${format.count(first.gpus)} to ${format.count(last.gpus)} GPUs the p95 goes from ${format.duration(variants[first.variant]!.p95_s.value)} to ${format.duration(variants[last.variant]!.p95_s.value)}; efficiency at p95 is then ${format.percent(last.efficiency_p95)}.`;
  }
  const tied = study.tied_with_best_p95.length - 1;
  const beside = tied > 0 ? ` ${tied} more cannot be told apart from it.` : "";
  const mean =
    study.best_mean === study.best_p95
      ? " It has the least mean too."
      : ` The least mean has ${name(study.best_mean)}.`;
  return `The least p95 has ${name(study.best_p95)}: ${format.duration(variants[study.best_p95]!.p95_s.value)}.${beside}${mean}`;
}

function effectsTable(study: Study, kinds: KindEffect[]): Table {
  const base = study.variants[0]!;
  return {
    headings: [
      "Without its variability",
      "p95",
      "mean",
      "spread (sd)",
      "Critical path",
      "Told from none at p95",
    ],
    keys: ["kind", "p95_s", "mean_s", "sd_s", "critical_path_share", "differs"],
    rows: kinds.map((k) => ({
      shown: [
        effectName(k),
        relative(k.silenced.p95_s, base.p95_s.value),
        relative(k.silenced.mean_s, base.mean_s.value),
        base.sd_s.value > 0 ? relative(k.silenced.sd_s, base.sd_s.value) : "–",
        k.critical_path_share === null ? "–" : format.percent(k.critical_path_share),
        k.silenced.p95_s.differs ? "yes" : "no",
      ],
      exact: [
        effectName(k),
        k.silenced.p95_s.value,
        k.silenced.mean_s.value,
        k.silenced.sd_s.value,
        k.critical_path_share,
        k.silenced.p95_s.differs ? 1 : 0,
      ],
    })),
  };
}

export function studyTable(study: Study): Table {
  if (study.answer?.kinds) return effectsTable(study, study.answer.kinds);
  const base = study.variants[0];
  const unit = format.unitFor(base?.p50_s?.value ?? 1);
  const rows = study.prism_study === "compare" ? ranking(study).map((r) => r.variant) : played(study);
  return {
    headings: ["Variant", "p50", "p95", "Interval", "p95 against the first"],
    keys: ["variant", "p50_s", "p95_s", "low_s", "high_s", "p95_difference_s"],
    rows: rows.map((v) => {
      const half = (v.p95_s.interval[1] - v.p95_s.interval[0]) / 2;
      const decimals = format.decimalsFor(v.p95_s.value / unit.seconds, half / unit.seconds);
      return {
        shown: [
          v.name,
          format.duration(v.p50_s.value, half, unit),
          format.duration(v.p95_s.value, half, unit),
          format.interval(v.p95_s.interval, unit, decimals),
          v === base ? "–" : relative(v.difference.p95_s, base!.p95_s.value),
        ],
        exact: [v.name, v.p50_s.value, v.p95_s.value, ...v.p95_s.interval, v.difference.p95_s.value],
      };
    }),
  };
}
