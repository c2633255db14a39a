// SPDX-License-Identifier: Apache-2.0
// Colours by meaning. On the page they are the style sheet's variables, so a change of theme needs no redrawing; in
// a file they are the light theme's own values, since a file stands alone.
export interface Palette {
  ink: string;
  muted: string;
  line: string;
  paper: string;
  series: string;
  accent: string;
  compute: string;
  communication: string;
  idle: string;
  font: string;
}

export const page: Palette = {
  ink: "var(--ink)",
  muted: "var(--muted)",
  line: "var(--line)",
  paper: "var(--card)",
  series: "var(--series)",
  accent: "var(--accent)",
  compute: "var(--compute)",
  communication: "var(--communication)",
  idle: "var(--idle)",
  font: "inherit",
};

export const file: Palette = {
  ink: "#1c2128",
  muted: "#57606c",
  line: "#d9dde3",
  paper: "#ffffff",
  series: "#9cbfe6",
  accent: "#a3431b",
  compute: "#3f78b8",
  communication: "#e0a458",
  idle: "#e6e9ee",
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
};
