// SPDX-License-Identifier: Apache-2.0
import { type Block, blocks, type Span, spans } from "../base/markdown";

/** A document of the project as part of a dialog: its own title is the dialog's, so headings start at h3. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="document">
      {blocks(text).map((block, i) => (
        <BlockView key={i} block={block} place={i + 1} />
      ))}
    </div>
  );
}

/** `place` among the blocks tells tables of the same headings apart. */
function BlockView({ block, place }: { block: Block; place: number }) {
  switch (block.kind) {
    case "heading":
      if (block.level === 1) return null;
      return block.level === 2 ? <h3>{inline(block.text)}</h3> : <h4>{inline(block.text)}</h4>;
    case "paragraph":
      return <p>{inline(block.text)}</p>;
    case "code":
      return <pre>{block.text}</pre>;
    case "list":
      return (
        <ul>
          {block.items.map((item, i) => (
            <li key={i}>{inline(item)}</li>
          ))}
        </ul>
      );
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        <section class="table-scroll" aria-label={tableName(block.headings, place)} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.headings.map((heading, i) =>
                  heading === "" ? (
                    <td key={i} />
                  ) : (
                    <th key={i} scope="col">
                      {inline(heading)}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, k) =>
                    k === 0 ? (
                      <th key={k} scope="row">
                        {inline(cell)}
                      </th>
                    ) : (
                      <td key={k}>{inline(cell)}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
  }
}

const tableName = (headings: string[], place: number) =>
  `Table in paragraph ${place}: ${headings.filter(Boolean).join(", ")}`;

const inline = (text: string) => spans(text).map((span, i) => <SpanView key={i} span={span} />);

function SpanView({ span }: { span: Span }) {
  switch (span.kind) {
    case "code":
      return <code>{span.text}</code>;
    case "strong":
      return <strong>{span.text}</strong>;
    case "emphasis":
      return <em>{span.text}</em>;
    case "text":
      return <>{span.text}</>;
  }
}
