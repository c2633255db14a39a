// SPDX-License-Identifier: Apache-2.0
// Files that leave the page. Each says what it is: title, seed, trials, engine version, digest and link.
import type { Result } from "./result";
import { answer, basis } from "./sentences";
import type { Table } from "./tables";

export interface Provenance {
  result: Result;
  /** Whole link, from https: on. */
  link: string;
}

/** Lines that name a result, for comments in files. */
export function provenanceLines({ result, link }: Provenance): string[] {
  return [
    `Title: ${result.title || "(none)"}`,
    `Seed: ${result.seed}`,
    `Trials: ${basis(result)}`,
    `Engine: Prism ${result.engine_version}`,
    `Digest: ${result.digest}`,
    `Link: ${link}`,
  ];
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  // RFC 4180. A leading sign would be taken for a formula by spreadsheets; our own words never start with one.
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Comment lines first, then one heading and the rows; times in seconds, as exact as they are known. */
export function csv(heading: string, table: Table, provenance: Provenance): string {
  const comments = [heading, ...provenanceLines(provenance)].map(
    (line) => `# ${line.replace(/[\r\n]+/g, " ")}`,
  );
  const lines = [table.keys.map(cell).join(","), ...table.rows.map((r) => r.exact.map(cell).join(","))];
  return `${[...comments, ...lines].join("\r\n")}\r\n`;
}

/** The same rows as in the CSV file. */
export function json(heading: string, table: Table, { result, link }: Provenance): string {
  const { title, seed, trials, engine_version, digest } = result;
  const rows = table.rows.map((r) => Object.fromEntries(table.keys.map((key, i) => [key, r.exact[i]])));
  return `${JSON.stringify({ heading, title, seed, trials, engine_version, digest, link, rows }, null, 2)}\n`;
}

export function markdown({ result, link }: Provenance): string {
  const text = answer(result);
  const title = (result.title || "Training step time").replace(/[[\]\\`*_<>]/g, "\\$&");
  return `[${title}](${link}): ${text.lead.join("")} ${text.rest} (${basis(result)}, seed ${result.seed}, Prism ${result.engine_version})`;
}

export const escapeXml = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** A drawing as a file of its own: title above, origin below, everything again in its metadata. */
export function svgFile(
  drawing: { markup: string; width: number; height: number },
  heading: string,
  provenance: Provenance,
): string {
  const { result } = provenance;
  const margin = 16;
  const top = 58;
  const bottom = 40;
  const width = drawing.width + 2 * margin;
  const height = drawing.height + top + bottom;
  const font = `font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"`;
  const lines = provenanceLines(provenance);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escapeXml(`${heading}: ${result.title}`)}</title>
<desc>${escapeXml(lines.join("\n"))}</desc>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${margin}" y="26" ${font} font-size="16" font-weight="600" fill="#1c2128">${escapeXml(result.title || heading)}</text>
<text x="${margin}" y="45" ${font} font-size="12" fill="#57606c">${escapeXml(heading)}</text>
<g transform="translate(${margin} ${top})">${drawing.markup}</g>
<a href="${escapeXml(provenance.link)}"><text x="${margin}" y="${height - 14}" ${font} font-size="11" fill="#57606c">${escapeXml(
    `Prism ${result.engine_version}, seed ${result.seed}, ${basis(result)}, digest ${result.digest}`,
  )}</text></a>
</svg>
`;
}
