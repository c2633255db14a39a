// SPDX-License-Identifier: Apache-2.0
// Draws that nobody shares average out; causes that many share do not. The two figures beside this scenario's own
// are computed by a test (tests/core/examples_test.cpp).
import { useController } from "../app/context";
import { examples } from "../app/examples";
import * as format from "../base/format";
import { valueAt } from "../base/json";
import type { Result } from "../base/result";
import said from "../base/sharing.json";
import { againWith } from "../input/causes";
import type { Presets } from "../input/reading";

const fresh = "fresh-5-15";
const shared = "shared-congested";

/** " (5 % on compute, 15 % on communication)": what the preset itself says, once it is here. */
function jitterText(presets: Presets | undefined): string {
  const factors = presets?.variability?.find((p) => p.name === fresh)?.factors ?? [];
  const sizes = factors.map((f) => `${shareText(valueAt(f, "/lognormal/cv"))} on ${String(f.what)}`);
  return sizes.length > 0 ? ` (${sizes.join(", ")})` : "";
}

interface SharingProps {
  result: Result;
  presets: Presets | undefined;
}

export function Sharing({ result, presets }: SharingProps) {
  const app = useController();
  const own = result.step_time_s.cv;
  const title = examples.find((e) => e.file === said.example)?.title ?? said.example;
  const rows = [
    { name: "Jitter of each operator alone", note: fresh, cv: said.cv[fresh] },
    { name: "A congested network, shared", note: shared, cv: said.cv[shared] },
    { name: "This scenario", note: "", cv: own },
  ];
  const widest = Math.max(...rows.map((row) => row.cv));
  const look = (preset: string) =>
    app.edit(againWith(app.state.doc.text, preset), `changing variability to ${preset}`);
  return (
    <section class="card wide">
      <header>
        <h2>What averages out, and what does not</h2>
      </header>
      <p class="reading">
        A step sums thousands of operators, so jitter that each of them draws for itself averages out:{" "}
        <code>{fresh}</code>
        {jitterText(presets)} spreads the steps of {title} by only {percent(said.cv[fresh])} (standard
        deviation). A cause that many of them share does not: a congested network spreads the same steps by{" "}
        {percent(said.cv[shared])}. Whoever draws everything independently is sure of the wrong number.
      </p>
      <table class="bars">
        <caption class="visually-hidden">Standard deviation of the step time, of its mean</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name} {row.note && <code>{row.note}</code>}
              </th>
              <td>
                <div>
                  <span
                    class="bar-of-table"
                    style={{ width: `${(100 * row.cv) / Math.max(widest, 1e-12)}%` }}
                    aria-hidden="true"
                  />
                  <span>{percent(row.cv)}</span>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Standard deviation of the step time as a share of its mean; the first two of {title}, with the preset
        named.
      </p>
      <div class="buttons">
        <button type="button" class="small" onClick={() => look(fresh)}>
          Fresh jitter alone, here
        </button>
        <button type="button" class="small" onClick={() => look(shared)}>
          A congested network, here
        </button>
      </div>
    </section>
  );
}

/** As written in a preset, without the dust of decimal fractions in binary. */
const shareText = (share: unknown) => `${Number((100 * Number(share)).toPrecision(6))}\u00a0%`;

const percent = (share: number) => (share === 0 ? "0 %" : `${format.significant(100 * share, 2)}\u00a0%`);
