// SPDX-License-Identifier: Apache-2.0
// The two documents a person may bring, a scenario or a result, and the link of a result.

import { parse, pretty, valueAt, withValue } from "../base/json";
import { type LinkFault, makeLink, openLink } from "../base/link";
import type { Result } from "../base/result";

export interface ReadDocument {
  /** Scenario text. */
  scenario: string;
  /** What a result document says of its origin. */
  engine?: string;
  digest?: string;
}

/** A result of this format stands for its scenario; any other text is taken as it is, for the core to judge. */
export function readDocument(text: string): ReadDocument {
  const tree = parse(text);
  const member = (name: string) =>
    tree?.type === "object"
      ? tree.children?.find((p) => p.children?.[0]?.value === name)?.children?.[1]
      : undefined;
  const scenario = member("scenario");
  if (member("prism_result")?.value !== 1 || member("prism") || scenario?.type !== "object")
    return { scenario: text };
  const engine = member("engine_version")?.value;
  const digest = member("digest")?.value;
  return {
    scenario: pretty(text.slice(scenario.offset, scenario.offset + scenario.length)),
    ...(typeof engine === "string" ? { engine } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
  };
}

export type Content =
  | { ok: true; from: "link" | "file"; document: ReadDocument }
  | { ok: false; fault: LinkFault };

/** What someone brings as text: a scenario, a result document, or a text that holds a link. */
export async function readContent(content: string): Promise<Content> {
  const text = content.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (!/^\s*(https?:\S*)?#v\d/.test(text)) return { ok: true, from: "file", document: readDocument(text) };
  const opened = await openLink(text);
  if (!opened.ok) return opened;
  const { engine, digest, scenario } = opened.shared;
  return { ok: true, from: "link", document: { scenario: pretty(scenario), engine, digest } };
}

/** The link's fragment. Trials and seed are written out, so that no later default can change them. */
export function linkOf(text: string, result: Result): string {
  let { scenario } = readDocument(text);
  const data: unknown = JSON.parse(scenario);
  for (const [pointer, value] of [
    ["/run/trials", result.trials_asked],
    ["/run/seed", result.seed],
  ] as const) {
    if (valueAt(data, pointer) === undefined) scenario = withValue(scenario, pointer, value);
  }
  return makeLink({ engine: result.engine_version, digest: result.digest, scenario });
}

/** The command that shows the same result in a terminal. */
export const commandLine = (link: string) => `prism open '${link}'`;
