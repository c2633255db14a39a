// SPDX-License-Identifier: Apache-2.0
// The charts as the panels know them: by name, and loaded when first needed.
export type ChartName = "histogram" | "cumulative" | "criticalPath" | "ranks";

type Charts = typeof import("./charts");
let loading: Promise<Charts> | undefined;

export function loadCharts(): Promise<Charts> {
  loading ??= import("./charts");
  return loading;
}
