// SPDX-License-Identifier: Apache-2.0
import type { Table } from "../base/tables";

/** A table of figures: first column heads the row, the others align to the right. */
export function DataTable({ table, caption, every = 1 }: { table: Table; caption: string; every?: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class="table-scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {table.headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows
            .filter((_, i) => i % every === 0)
            .map((row, i) => (
              <tr key={i}>
                {row.shown.map((cell, k) =>
                  k === 0 ? (
                    <th key={k} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={k}>{cell}</td>
                  ),
                )}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
