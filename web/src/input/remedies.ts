// SPDX-License-Identifier: Apache-2.0
// What a fault's own words say to write instead, as something that can be done with one click. The page guesses nothing:
// every value comes from the message or the hint of the core.
import { withKey, withValue } from "../base/json";
import type { Diagnostic } from "../base/result";

export interface Remedy {
  /** "Use 16", "Use tp", "Leave out group". */
  label: string;
  apply: (text: string) => string;
}

type Rule = (fault: Diagnostic) => Remedy[];

const use = (value: string | number, pointer: string, label = `Use ${value}`): Remedy => ({
  label,
  apply: (text) => withValue(text, pointer, value),
});
const leaveOut = (key: string, pointer: string): Remedy => ({
  label: `Leave out ${key}`,
  apply: (text) => withValue(text, pointer, undefined),
});
const lastKey = (pointer: string) => pointer.slice(pointer.lastIndexOf("/") + 1);
const beside = (pointer: string, key: string) => `${pointer.slice(0, pointer.lastIndexOf("/"))}/${key}`;
/** The one thing a pattern captures, or nothing. */
const found = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1];

const meant: Rule = ({ code, pointer, hint }) => {
  const name = found(/^did you mean "([^"]+)"\?$/, hint);
  if (name === undefined) return [];
  if (code === "unknown_name") return [use(name, pointer)];
  if (code !== "unknown_key") return [];
  return [{ label: `Use ${name}`, apply: (text) => withKey(text, pointer, name) }];
};

/** The equation's other side, or without the member: the core then works it out. */
const batchEquation: Rule = ({ pointer, message, hint }) => {
  const product = found(/^global = micro x micro_batches x dp: .* = (\d+)$/, message);
  if (product === undefined || pointer !== "/batch/global") return [];
  const out = hint.startsWith("leave one of them out") ? [leaveOut("global", pointer)] : [];
  return [use(Number(product), pointer, `Use global ${product}`), ...out];
};

const ruleOfLayers: Rule = ({ code, pointer, hint }) => {
  if (code !== "not_divisible" || pointer !== "/parallel") return [];
  const [key, ...names] = [...hint.matchAll(/"([a-z_-]+)"/g)].map((match) => match[1]!);
  if (key !== "layers_per_virtual_stage") return [];
  return names.map((name) => use(name, `${pointer}/${key}`));
};

const schedule: Rule = ({ hint }) => {
  const name = found(/use the schedule ([0-9a-z-]+)$/, hint);
  return name === undefined ? [] : [use(name, "/parallel/schedule")];
};

/** "set virtual_stages to 1", "take zero 1", of the member itself. */
const number: Rule = ({ pointer, hint }) => {
  const [, key, value] = /(?:^|\b)(?:set (?=\w+ to )|take )(\w+)(?: to)? (\d+)\b/.exec(hint) ?? [];
  if (key === undefined || key !== lastKey(pointer)) return [];
  return [use(Number(value), pointer, `Use ${key} ${value}`)];
};

const neighbour: Rule = ({ pointer, message }) => {
  const [, key, value] = / needs "(\w+)": "(\w+)"$/.exec(message) ?? [];
  return key === undefined || value === undefined
    ? []
    : [use(value, beside(pointer, key), `Use ${key} ${value}`)];
};

const quotation: Rule = ({ code, pointer, message, hint }) => {
  if (code !== "wrong_type") return [];
  const text = hint.startsWith("numbers are written without quotation marks")
    ? found(/ found the text "(-?[0-9.]+)"$/, message)
    : undefined;
  if (text !== undefined && Number.isFinite(Number(text))) return [use(Number(text), pointer)];
  const seed = found(/^write ("\d+"):/, hint);
  return seed === undefined ? [] : [use(JSON.parse(seed) as string, pointer, `Use ${seed}`)];
};

const left: Rule = ({ pointer, hint }) => {
  const key =
    found(/^leave (?:"(\w+)"|it) out/, hint) ??
    (hint.startsWith("leave it out") ? lastKey(pointer) : undefined);
  return key !== undefined && key === lastKey(pointer) ? [leaveOut(key, pointer)] : [];
};

const rules: Rule[] = [meant, batchEquation, ruleOfLayers, schedule, number, neighbour, quotation, left];

export const remediesOf = (fault: Diagnostic): Remedy[] => rules.flatMap((rule) => rule(fault));
