#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The figures of docs/paper.md, computed anew by the native program and written between the page's marks:
// `<!-- name -->` to `<!-- /name -->`. Names of tables as arguments: only those.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, say } from "./shell.mjs";

const program = join(root, "build", "prism");
const prism = (args, scenario) =>
  JSON.parse(
    execFileSync(program, [...args, "--json"], {
      cwd: root,
      input: scenario && JSON.stringify(scenario),
      maxBuffer: 1 << 28,
    }),
  );
const example = (name) => JSON.parse(readFileSync(join(root, "examples", name), "utf8"));
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits).replace("-", "−")} %`;
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Effects of silencing, as shares of the base: [{kind, whole, p95, sd}], largest fall of the p95 first. */
function silenced(scenario, trials, seed) {
  const study = prism(
    ["study", "sensitivity", "-", "--trials", String(trials), "--seed", String(seed)],
    scenario,
  );
  const base = study.variants[0];
  return study.answer.kinds
    .map((k) => ({
      kind: k.kind,
      whole: k.whole_class,
      p95: k.silenced.p95_s.value / base.p95_s.value,
      sd: k.silenced.sd_s.value / base.sd_s.value,
    }))
    .sort((a, b) => a.p95 - b.p95);
}

function finding() {
  say("65,536 GPUs");
  const s = prism(["run", "examples/variability-65536.json"]).step_time_s;
  return [
    `p5/p50 = ${(s.p5 / s.p50).toFixed(3)}, p95/p50 = ${(s.p95 / s.p50).toFixed(3)}; without variability`,
    `${s.deterministic.toFixed(2)} s, p50 ${s.p50.toFixed(2)} s: ${percent(s.p50 / s.deterministic - 1, 0)} longer at the median,`,
    `${percent(s.p95 / s.deterministic - 1, 0)} at p95`,
  ].join(" ");
}

function growth() {
  say("Slow-downs by size");
  const sizes = [128, 1024, 8192, 65536];
  const study = prism([
    ...["study", "scaling", "examples/variability-1024.json"],
    ...["--gpus", sizes.join(","), "--trials", "1024", "--slow-down", "1.05,1.1"],
  ]);
  return table(
    ["", ...sizes.map((n) => `${n.toLocaleString("en")} GPUs`)],
    [0, 1].map((i) => [
      `P(> ${[1.05, 1.1][i]} × without variability)`,
      ...study.answer.points.map((p) => p.probability[i].toFixed(3)),
    ]),
  );
}

const stable = 20;
function ranking() {
  say(`All-gather and reduce-scatter, ${stable} seeds`);
  const scenario = example("fsdp-65536.json");
  const kinds = new Map();
  for (let seed = 1; seed <= stable; seed++) {
    const list = silenced(scenario, 1024, seed);
    const single = list.filter((k) => !k.whole);
    for (const [i, k] of single.entries()) {
      const seen = kinds.get(k.kind) ?? { p95: [], sd: [], place: [] };
      seen.p95.push(k.p95);
      seen.sd.push(k.sd);
      seen.place.push(i + 1);
      kinds.set(k.kind, seen);
    }
  }
  const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  const range = (list) =>
    `${percent(middle(list))} (${percent(Math.min(...list))} … ${percent(Math.max(...list))})`;
  const places = (list) => {
    const low = Math.min(...list);
    const high = Math.max(...list);
    return low === high ? `${low} in all` : `${low} to ${high}`;
  };
  return table(
    ["Without the variability of", "p95", "spread (sd)", "place by p95"],
    [...kinds]
      .sort((a, b) => middle(a[1].p95) - middle(b[1].p95))
      .slice(0, 4)
      .map(([kind, k]) => [kind.replace("_", "-"), range(k.p95), range(k.sd), places(k.place)]),
  );
}

function map() {
  say("Map of exposure and variability");
  const rates = [110, 70, 50, 25];
  const ratios = [0.5, 1, 2, 4];
  const shares = new Map();
  const rows = ratios.map((ratio) => {
    const cells = rates.map((rate) => {
      const scenario = example("fsdp-65536.json");
      scenario.parallel.dp = 256;
      scenario.cluster.inter_node = { per_gpu_gbyte_per_s: rate };
      const [, fresh, , shared] = scenario.variability.factors;
      fresh.lognormal.cv = 0.03 * ratio;
      shared.lognormal.cv = 0.01 * ratio;
      const study = prism(["study", "sensitivity", "-", "--trials", "1024"], scenario);
      const base = study.variants[0].p95_s.value;
      const of = (name) => study.answer.kinds.find((k) => k.kind === name);
      const share = study.answer.kinds
        .filter((k) => !k.whole_class && k.class === "communication")
        .reduce((sum, k) => sum + k.critical_path_share, 0);
      shares.set(rate, share);
      const effect = (name) => -100 * (of(name).silenced.p95_s.value / base);
      const single = study.answer.kinds.filter((k) => !k.whole_class);
      const first = single.reduce((a, b) => (a.silenced.p95_s.value < b.silenced.p95_s.value ? a : b)).kind;
      const lead = `${first.replace("_", "-")} ${effect(first).toFixed(1)} %`;
      const pair = `${effect("reduce_scatter").toFixed(1)}, ${effect("all_gather").toFixed(1)}`;
      return `${first === "gemm" ? lead : `**${lead}**`}; ${pair}`;
    });
    return [String(ratio), ...cells];
  });
  return table(
    ["Communication / compute", ...rates.map((r) => `${r} GB/s: ${shares.get(r).toFixed(2)}`)],
    rows,
  );
}

const placed = [
  {
    name: "A",
    text: "GPT-3 175B, TP8 PP16 DP1, 32 micro-batches, 1F1B, `dedicated`",
    scenario: {
      model: "gpt3-175b",
      parallel: { tp: 8, pp: 16, dp: 1 },
      batch: { micro: 1, micro_batches: 32, sequence: 2048 },
      variability: "dedicated",
    },
  },
  {
    name: "B",
    text: "GPT-3 175B, TP8 PP8 DP8, 8 micro-batches, 1F1B, `dedicated`",
    scenario: {
      model: "gpt3-175b",
      parallel: { tp: 8, pp: 8, dp: 8 },
      batch: { micro: 1, micro_batches: 8, sequence: 2048 },
      variability: "dedicated",
    },
  },
  {
    name: "C",
    text: "Llama 3.1 70B, TP8 PP4 DP4, interleaved 1F1B, 2 virtual stages, 32 micro-batches, `prism-64k`",
    scenario: {
      model: "llama-3.1-70b",
      parallel: {
        tp: 8,
        pp: 4,
        dp: 4,
        schedule: "interleaved-1f1b",
        virtual_stages: 2,
      },
      batch: { micro: 1, micro_batches: 32, sequence: 8192 },
      variability: "prism-64k",
    },
  },
];

function placement() {
  say("Slow nodes");
  const factors = Array.from({ length: 20 }, (_, i) => 1.1 + i / 10);
  const shown = [1.2, 1.5, 2, 3];
  const reached = (points, key, bound) => {
    const at = points.find((p) => p[key] >= bound);
    return at ? at.factor.toFixed(1) : "not up to 3";
  };
  return table(
    [
      "",
      "Layout, variability",
      ...shown.map((f, i) => (i ? `slow ${f}` : `slow ${f}: worst/none, worst/best`)),
      "worst/best 1.26 at",
      "worst/none 1.64 at",
    ],
    placed.map(({ name, text, scenario }) => {
      const study = prism(
        ["study", "placement", "-", "--trials", "512", "--slow", factors.map((f) => f.toFixed(1)).join(",")],
        { prism: 1, ...scenario, cluster: { gpu: "h100-sxm" }, run: { trials: 512, seed: "1" } },
      );
      const points = study.answer.by_factor;
      return [
        name,
        text,
        ...shown.map((f) => {
          const p = points.find((q) => Math.abs(q.factor - f) < 0.01);
          return `${p.worst_over_none_p95.toFixed(2)}, ${p.worst_over_best_p95.toFixed(2)}`;
        }),
        reached(points, "worst_over_best_p95", 1.26),
        reached(points, "worst_over_none_p95", 1.64),
      ];
    }),
  );
}

function bloom() {
  say("A node 2.5 % slower on average");
  const { what_if: unequal, ...healthy } = example("bloom-176b-slow-node.json");
  const trials = { trials: 1024, seed: "1", attribution_trials: 0 };
  const step = (places, at) => {
    const moved = places.map((p) => ({ ...p, where: { ...p.where, pp: at } }));
    return prism(["run", "-"], { ...healthy, what_if: moved, run: trials }).step_time_s.p50;
  };
  const usual = step([], 0);
  const ranks = Array.from({ length: healthy.parallel.pp }, (_, r) => r);
  const row = (text, places) => {
    const longer = ranks.map((r) => step(places, r) / usual - 1);
    const inner = longer.slice(1, -1);
    return [
      text,
      ...[longer[0], Math.min(...inner), Math.max(...inner), longer.at(-1)].map((x) => percent(x)),
    ];
  };
  const node = (change) => [{ where: { unit: "node" }, ...change }];
  return `A healthy step takes ${usual.toFixed(1)} s.\n\n${table(
    ["Slow node", "on the first rank", "on ranks 1 to 10: least", "most", "on the last rank"],
    [
      row("all eight GPUs × 1.025", node({ factor: 1.025 })),
      row("eight GPUs whose mean is × 1.025: 1.075, 1.075, 1.05 in one tensor group, five as usual", unequal),
      row("every operation at its 95 % quantile (× 1.033)", node({ operator_quantile: 0.95 })),
    ],
  )}`;
}

const page = join(root, "docs", "paper.md");
let text = readFileSync(page, "utf8");
const asked = process.argv.slice(2);
for (const [name, make] of Object.entries({ finding, growth, ranking, map, placement, bloom })) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const open = `<!-- ${name} -->`;
  const close = `<!-- /${name} -->`;
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < 0) throw new Error(`docs/paper.md has no ${open} … ${close}`);
  const gap = name === "finding" ? "" : "\n\n";
  text = `${text.slice(0, from + open.length)}${gap}${make()}${gap}${text.slice(to)}`;
}
writeFileSync(page, text);
say("docs/paper.md is written");
