// SPDX-License-Identifier: Apache-2.0
// What is said about memory, calibration and the measured runs nearest to a job.

import * as format from "./format";
import type { Result } from "./result";
import type { Table } from "./tables";

const gib = (value: number) => format.significant(value, 3);

type Memory = NonNullable<Result["memory"]>;

/** Parts of what a GPU holds, largest words first; `working` is what one layer needs in passing. */
export const memoryParts = [
  { key: "parameters", name: "Parameters" },
  { key: "gradients", name: "Gradients" },
  { key: "optimizer", name: "Optimizer" },
  { key: "activations", name: "Activations" },
  { key: "working", name: "One layer at work" },
] as const;

export function memoryReading(m: Memory): string {
  const rank = `GPUs of pipeline rank ${m.fullest_rank} hold the most, about ${gib(m.most)} of ${gib(m.gpu)} GiB`;
  const verdict = {
    yes: "",
    uncertain: ": this estimate cannot tell whether it fits",
    no: ": by this estimate it does not fit, and times are computed all the same",
  };
  return `${rank}${verdict[m.fits]}. Not counted: ${m.not_counted}.`;
}

export function memoryTable(m: Memory): Table {
  return {
    headings: [
      "Pipeline rank",
      ...memoryParts.map((p) => `${p.name} (GiB)`),
      "Together (GiB)",
      "Chunks in flight",
    ],
    keys: ["pipeline_rank", ...memoryParts.map((p) => `${p.key}_gib`), "total_gib", "chunks_in_flight"],
    rows: m.ranks.map((r) => ({
      shown: [
        String(r.pipeline_rank),
        ...memoryParts.map((p) => gib(r[p.key])),
        gib(r.total),
        String(r.chunks_in_flight),
      ],
      exact: [r.pipeline_rank, ...memoryParts.map((p) => r[p.key]), r.total, r.chunks_in_flight],
    })),
  };
}

export function signedPercent(share: number): string {
  const text = format.percent(Math.abs(share));
  return share < 0 ? `−${text}` : `+${text}`;
}

/** One measured run: how far the model was off there. Of several layouts only the size of the error is known. */
export function errorText(row: { layouts: "one" | "several"; error: number }): string {
  return row.layouts === "one" ? signedPercent(row.error) : `${format.percent(row.error)} on average`;
}

export function trustReading(result: Result): string {
  const nearest = result.validation?.nearest ?? [];
  if (nearest.length === 0)
    return `There is ${result.validation?.text}. Calibrate with a step time of your own.`;
  const worst = Math.max(...nearest.map((row) => Math.abs(row.error)));
  const runs = nearest.length === 1 ? "the measured run" : `the ${nearest.length} measured runs`;
  return `In ${runs} most like this one, the step without variability was modelled within ${format.percent(worst)}.`;
}

export function calibrationText(result: Result): string | null {
  const c = result.calibration;
  if (!c) return null;
  return `Calibrated: compute runs at ${format.significant(c.efficiency_factor, 3)} times the efficiency that the cost model assumes, so that the simulated ${c.to} meets the measured ${format.exactDuration(c.measured_s)} (solved on ${format.count(c.trials)} trials). Communication is not scaled.`;
}
