// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import validation from "../../docs/validation.md?raw";
import { blocks, spans } from "../../web/src/base/markdown";

test("blocks of every kind, in order", () => {
  const text =
    "# Title\n\nOne line\nand another.\n\n    code\n\n- first\n- second\n  goes on\n\n| A | B |\n|---|---|\n| 1 | x \\| y |\n";
  expect(blocks(text)).toEqual([
    { kind: "heading", level: 1, text: "Title" },
    { kind: "paragraph", text: "One line and another." },
    { kind: "code", text: "code" },
    { kind: "list", items: ["first", "second goes on"] },
    { kind: "table", headings: ["A", "B"], rows: [["1", "x | y"]] },
  ]);
});

test("spans keep every character that is no mark", () => {
  expect(spans("a `b*c` **d** *e* [f](g.md)")).toEqual([
    { kind: "text", text: "a " },
    { kind: "code", text: "b*c" },
    { kind: "text", text: " " },
    { kind: "strong", text: "d" },
    { kind: "text", text: " " },
    { kind: "emphasis", text: "e" },
    { kind: "text", text: " f" },
  ]);
});

test("the validation document is read whole: each of its tables has as many cells in every row", () => {
  const tables = blocks(validation).filter((b) => b.kind === "table");
  expect(tables.length).toBeGreaterThan(8);
  for (const t of tables) {
    expect(t.rows.length).toBeGreaterThan(0);
    for (const row of t.rows) expect(row).toHaveLength(t.headings.length);
  }
});
