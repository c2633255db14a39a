// SPDX-License-Identifier: Apache-2.0
// How far base latencies and layout can be trusted: measured runs like this one, calibration, and memory.
import * as format from "../base/format";
import type { Result } from "../base/result";
import {
  calibrationText,
  errorText,
  memoryParts,
  memoryReading,
  memoryTable,
  trustReading,
} from "../base/trust";
import { DataTable } from "../ui/table";

export function Trust({ result, onAll }: { result: Result; onAll: () => void }) {
  if (!result.validation) return null;
  const { nearest } = result.validation;
  const calibrated = calibrationText(result);
  return (
    <section class="card">
      <header>
        <h2>Base times against measurements</h2>
      </header>
      {calibrated && <p class="reading">{calibrated}</p>}
      <p class="reading">{trustReading(result)}</p>
      {nearest.length > 0 && (
        <table class="nearest">
          <caption class="visually-hidden">Nearest measurements</caption>
          <thead>
            <tr>
              <th scope="col">Measured run</th>
              <th scope="col">Error</th>
              <th scope="col">Kind</th>
            </tr>
          </thead>
          <tbody>
            {nearest.map((row) => (
              <tr key={row.run}>
                <th scope="row">{row.run}</th>
                <td>{errorText(row)}</td>
                <td>{row.fitted ? "fitted" : "predicted"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="hint">
        Error is modelled over measured, less 1, without calibration. “Fitted”: a number of the cost model was
        chosen on that run.
      </p>
      <div class="buttons">
        <button type="button" class="small" onClick={onAll}>
          All measurements
        </button>
      </div>
    </section>
  );
}

export function Memory({ result }: { result: Result }) {
  const m = result.memory;
  const fullest = m?.ranks[m.fullest_rank];
  if (!m || !fullest) return null;
  const scale = Math.max(m.gpu, m.most);
  return (
    <section class="card">
      <header>
        <h2>Memory</h2>
      </header>
      <p class="reading">{memoryReading(m)}</p>
      <table class="bars memory">
        <caption class="visually-hidden">GiB that a GPU of the fullest pipeline rank holds</caption>
        <tbody>
          {memoryParts
            .filter(({ key }) => fullest[key] > 0)
            .map(({ key, name }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>
                  <div>
                    <span
                      class="bar-of-table"
                      style={{ width: `${(100 * fullest[key]) / scale}%` }}
                      aria-hidden="true"
                    />
                    <span>{format.significant(fullest[key], 3)} GiB</span>
                  </div>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      <details>
        <summary>Memory on each pipeline rank</summary>
        <DataTable table={memoryTable(m)} caption="Memory on each pipeline rank" />
      </details>
    </section>
  );
}
