// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Table } from "../base/tables";

/** Rows beyond which a table is cut until all of it is asked for. */
const few = 12;

/**
 * A table of figures: first column heads the row, the others align to the right. Where its place is too narrow, each
 * row becomes a block whose cells repeat their headings.
 */
export function DataTable({ table, caption, every = 1 }: { table: Table; caption: string; every?: number }) {
  const [all, setAll] = useState(false);
  const rows = table.rows.filter((_, i) => i % every === 0);
  const long = rows.length > few;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="table-scroll" aria-label={caption} tabIndex={0} data-whole={!long || all || undefined}>
        <table class={table.headings.length > 3 ? "figures many" : "figures"}>
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
            {rows.map((row, i) => (
              <tr key={i}>
                {row.shown.map((cell, k) =>
                  k === 0 ? (
                    <th key={k} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={k} data-heading={table.headings[k]}>
                      {cell}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {long && (
        <button type="button" class="plain small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${rows.length} rows`}
        </button>
      )}
    </div>
  );
}
