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

/** What a file says of itself, whether it holds a step, a study or measurements. */
export interface Origin {
  title: string;
  /** For JSON; the title is one of them. */
  members: Record<string, unknown>;
  /** The same for people, a line each. */
  lines: string[];
  /** In one line, for below a picture. */
  caption: string;
  /** Empty where there is none. */
  link: string;
}

export function originOf({ result, link }: Provenance): Origin {
  const { title, seed, trials, engine_version, digest } = result;
  return {
    title,
    members: { title, seed, trials, engine_version, digest, link },
    lines: [
      `Title: ${title || "(none)"}`,
      `Seed: ${seed}`,
      `Trials: ${basis(result)}`,
      `Engine: Prism ${engine_version}`,
      `Digest: ${digest}`,
      `Link: ${link}`,
    ],
    caption: `Prism ${engine_version}, seed ${seed}, ${basis(result)}, digest ${digest}`,
    link,
  };
}

/** Of a study or a planning question; the digest is its own, the link its scenario's. */
export function studyOrigin(
  /** `sample`: "1,024 trials each". */
  study: { name: string; title: string; seed: string; sample: string; digest: string },
  engine_version: string,
  link: string,
): Origin {
  const { title, seed, digest, sample, name } = study;
  return {
    title,
    members: { title, study: name, seed, sample, engine_version, digest, link },
    lines: [
      `Title: ${title || "(none)"}`,
      `Study: ${name}`,
      `Seed: ${seed}`,
      `Sample: ${sample}`,
      `Engine: Prism ${engine_version}`,
      `Digest of the study: ${digest}`,
      `Link of the scenario: ${link}`,
    ],
    caption: `Prism ${engine_version}, seed ${seed}, ${sample}, digest ${digest}`,
    link,
  };
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  // RFC 4180. A leading sign would be taken for a formula by spreadsheets; our own words never start with one.
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Comment lines first, then one heading and the rows; times in seconds, as exact as they are known. */
export function csv(heading: string, table: Table, origin: Origin): string {
  const comments = [heading, ...origin.lines].map((line) => `# ${line.replace(/[\r\n]+/g, " ")}`);
  const lines = [table.keys.map(cell).join(","), ...table.rows.map((r) => r.exact.map(cell).join(","))];
  return `${[...comments, ...lines].join("\r\n")}\r\n`;
}

/** The same rows as in the CSV file. */
export function json(heading: string, table: Table, { members }: Origin): string {
  const rows = table.rows.map((r) => Object.fromEntries(table.keys.map((key, i) => [key, r.exact[i]])));
  return `${JSON.stringify({ heading, ...members, rows }, null, 2)}\n`;
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
  origin: Origin,
): string {
  const margin = 16;
  const top = 58;
  const bottom = 40;
  const width = drawing.width + 2 * margin;
  const height = drawing.height + top + bottom;
  const font = `font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"`;
  const below = `<text x="${margin}" y="${height - 14}" ${font} font-size="11" fill="#57606c">${escapeXml(origin.caption)}</text>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escapeXml(`${heading}: ${origin.title}`)}</title>
<desc>${escapeXml(origin.lines.join("\n"))}</desc>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${margin}" y="26" ${font} font-size="16" font-weight="600" fill="#1c2128">${escapeXml(origin.title || heading)}</text>
<text x="${margin}" y="45" ${font} font-size="12" fill="#57606c">${escapeXml(heading)}</text>
<g transform="translate(${margin} ${top})">${drawing.markup}</g>
${origin.link ? `<a href="${escapeXml(origin.link)}">${below}</a>` : below}
</svg>
`;
}
