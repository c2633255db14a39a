// SPDX-License-Identifier: Apache-2.0
// The charts as the panels know them: by name, and loaded when first needed.
export type ChartName =
  | "histogram"
  | "cumulative"
  | "criticalPath"
  | "ranks"
  | "goodput"
  | "finish"
  | "oneRun";

type Charts = typeof import("./charts") & typeof import("./run-charts");
let loading: Promise<Charts> | undefined;

export function loadCharts(): Promise<Charts> {
  loading ??= Promise.all([import("./charts"), import("./run-charts")]).then(([step, run]) => ({
    ...step,
    ...run,
  }));
  return loading;
}
