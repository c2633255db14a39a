// SPDX-License-Identifier: Apache-2.0
// An operator trace made up for tests: two replicas of one stage, the second of which computes half as long again.

/** As a recorder writes it, times in seconds. */
export function slowJob() {
  const lines = ["dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc"];
  const replicas = [0, 1];
  for (let step = 0; step < 12; step++) {
    const free = [0, 0];
    const add = (r, type, k, lasts) => {
      lines.push(`${r},0,${r},${step},${type},${free[r]},${lasts},${k},0,0,0`);
      free[r] += lasts;
    };
    const together = (type, lasts) => {
      const latest = Math.max(...free);
      for (const r of replicas) add(r, type, 0, latest + lasts - free[r]);
    };
    together("params-all-gather", 0.1);
    for (const r of replicas)
      for (const [type, base] of [
        ["forward-compute", 1],
        ["backward-compute", 2],
      ])
        for (let k = 0; k < 4; k++)
          add(r, type, k, base * (r === 1 ? 1.5 : 1) * (1 + 0.01 * ((step * 7 + k * 3 + r) % 5)));
    for (const r of replicas) {
      add(r, "gc", 0, 0);
      add(r, "layernorm-grads-all-reduce", 0, 0.01);
    }
    together("grads-reduce-scatter", 0.2);
    together("optimizer-clip-main-grad", 0.01);
    for (const r of replicas) add(r, "optimizer", 0, 0.05);
  }
  return `${lines.join("\n")}\n`;
}
