// SPDX-License-Identifier: Apache-2.0
// The little of Markdown that the project's own documents use: headings, paragraphs, lists, tables and code blocks.

export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "code"; text: string }
  | { kind: "table"; headings: string[]; rows: string[][] };

/** Cells of a table's line; a bar behind a backslash is a character. */
const cells = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

export function blocks(text: string): Block[] {
  const out: Block[] = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const taken = (test: (line: string) => boolean) => {
      const from = i;
      while (i < lines.length && test(lines[i]!)) i++;
      return lines.slice(from, i);
    };
    const heading = /^(#+) (.*)$/.exec(line);
    if (line.trim() === "") i++;
    else if (heading) {
      out.push({ kind: "heading", level: heading[1]!.length, text: heading[2]! });
      i++;
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = taken((l) => l.startsWith("|")).map(cells);
      out.push({ kind: "table", headings: head!, rows });
    } else if (line.startsWith("    ")) {
      const code = taken((l) => l.startsWith("    ")).map((l) => l.slice(4));
      out.push({ kind: "code", text: code.join("\n") });
    } else if (line.startsWith("- ")) {
      const items = taken((l) => l.startsWith("- ") || l.startsWith("  "));
      out.push({
        kind: "list",
        items: items
          .join("\n")
          .slice(2)
          .split("\n- ")
          .map((item) => item.replace(/\n\s+/g, " ")),
      });
    } else {
      const paragraph = taken((l) => l.trim() !== "" && !/^(#|\||- )/.test(l));
      out.push({ kind: "paragraph", text: paragraph.join(" ") });
    }
  }
  return out;
}

export interface Span {
  kind: "text" | "code" | "strong" | "emphasis";
  text: string;
}

/** Code, **strong** and *emphasis* within a line; links keep their words. */
export function spans(text: string): Span[] {
  const kinds = { "`": "code", "**": "strong", "*": "emphasis" } as const;
  const out: Span[] = [];
  let at = 0;
  const plain = text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  for (const match of plain.matchAll(/(`|\*\*|\*)(.+?)\1/g)) {
    if (match.index > at) out.push({ kind: "text", text: plain.slice(at, match.index) });
    out.push({ kind: kinds[match[1] as keyof typeof kinds], text: match[2]! });
    at = match.index + match[0].length;
  }
  if (at < plain.length) out.push({ kind: "text", text: plain.slice(at) });
  return out;
}
