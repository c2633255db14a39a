// SPDX-License-Identifier: Apache-2.0
// Scenario text as the user wrote it: find a value by JSON Pointer, change one value and leave the rest of the
// text alone, lay out text that has no layout. What is valid is the core's business, not decided here.

import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";

export type Path = (string | number)[];

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Tree with offsets, or undefined if the text is not JSON. */
export function parse(text: string): Node | undefined {
  const errors: { error: number }[] = [];
  const tree = parseTree(text, errors as never, strict);
  return errors.length ? undefined : tree;
}

/** RFC 6901; array indices become numbers. */
export function pathOf(pointer: string): Path {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^(0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Value at a pointer in parsed data; undefined if there is none. */
export function valueAt(data: unknown, pointer: string): unknown {
  let at = data;
  for (const step of pathOf(pointer)) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

/** Offsets [from, to) of the value at `pointer`, else of the nearest enclosing value that is there. */
export function rangeOf(text: string, pointer: string): [number, number] {
  const errors: never[] = [];
  const tree = parseTree(text, errors, strict);
  const path = pathOf(pointer);
  for (let n = path.length; tree && n >= 0; n--) {
    const node = findNodeAtLocation(tree, path.slice(0, n));
    if (!node) continue;
    // A missing key has no place of its own: its parent's opening brace stands for it.
    const braceOnly = n < path.length && (node.type === "object" || node.type === "array");
    return [node.offset, node.offset + (braceOnly ? 1 : node.length)];
  }
  return [0, Math.min(1, text.length)];
}

/** Offset of a 1-based line and column (UTF-16 units); clamped to the text. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return Math.min(at + Math.max(0, column - 1), text.length);
}

/** Sets one value, or removes it when given undefined; every other character of the text stays. */
export function withValue(text: string, pointer: string, value: unknown): string {
  const path = pathOf(pointer);
  const tree = parse(text);
  if (!tree) return text;
  const node = findNodeAtLocation(tree, path);
  if (value === undefined) return node?.parent?.type === "property" ? without(text, node.parent) : text;
  if (node) return text.slice(0, node.offset) + inline(value) + text.slice(node.offset + node.length);
  // The nearest object that is there takes the rest of the path as new objects.
  let depth = path.length - 1;
  while (depth > 0 && !findNodeAtLocation(tree, path.slice(0, depth))) depth--;
  const parent = findNodeAtLocation(tree, path.slice(0, depth));
  if (parent?.type !== "object") return text;
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
  return withMember(text, parent, `${JSON.stringify(String(path[depth]))}: ${inline(nested)}`);
}

/** Renames the key of the member at `pointer`, unless its object has the other name already. */
export function withKey(text: string, pointer: string, name: string): string {
  const tree = parse(text);
  const member = tree && findNodeAtLocation(tree, pathOf(pointer))?.parent;
  const key = member?.type === "property" ? member.children?.[0] : undefined;
  const taken = member?.parent?.children?.some((other) => other.children?.[0]?.value === name);
  if (!key || taken) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** As withValue, but a value too long for one line is laid out over several. */
export function withBlock(text: string, pointer: string, value: unknown): string {
  if (value === undefined) return withValue(text, pointer, undefined);
  // A text that stands nowhere else marks the place.
  let mark = "block";
  while (text.includes(mark)) mark += "_";
  const marked = withValue(text, pointer, mark);
  const at = marked.indexOf(`"${mark}"`);
  if (at < 0) return text;
  const lineStart = marked.lastIndexOf("\n", at) + 1;
  const indent = /^ */.exec(marked.slice(lineStart))![0];
  const line = inline(value);
  const fits = at - lineStart + line.length <= 100 || !text.includes("\n");
  const block = fits ? line : pretty(line).trimEnd().replaceAll("\n", `\n${indent}`);
  return marked.slice(0, at) + block + marked.slice(at + mark.length + 2);
}

/** Adds a member at an object's end, in the manner of its last one: on the same line, or on a line of its own. */
function withMember(text: string, object: Node, member: string): string {
  const last = object.children?.at(-1);
  if (!last)
    return `${text.slice(0, object.offset)}{ ${member} }${text.slice(object.offset + object.length)}`;
  const at = last.offset + last.length;
  const lineStart = text.lastIndexOf("\n", last.offset) + 1;
  const before = text.slice(lineStart, last.offset);
  const separator = lineStart > object.offset && before.trim() === "" ? `,\n${before}` : ", ";
  return text.slice(0, at) + separator + member + text.slice(at);
}

function without(text: string, member: Node): string {
  const siblings = member.parent?.children ?? [];
  const i = siblings.indexOf(member);
  const end = (node: Node) => node.offset + node.length;
  const previous = siblings[i - 1];
  const next = siblings[i + 1];
  if (previous) return text.slice(0, end(previous)) + text.slice(end(member));
  if (next) return text.slice(0, member.offset) + text.slice(next.offset);
  const object = member.parent!;
  return `${text.slice(0, object.offset)}{}${text.slice(end(object))}`;
}

/** Deepest nesting of brackets outside strings. Parsers recurse: text from a stranger is measured first. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === "\\") i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === "{" || c === "[") deepest = Math.max(deepest, ++depth);
    else if (c === "}" || c === "]") depth--;
  }
  return deepest;
}

/** JSON on one line, with the spaces people write. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${inline(v)}`);
    return members.length ? `{ ${members.join(", ")} }` : "{}";
  }
  return JSON.stringify(value);
}

/** The text without white space outside strings, and nothing else changed (docs/link.md). */
export function minify(text: string): string {
  let result = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quoted) {
      result += c;
      if (c === "\\") result += text[++i] ?? "";
      else if (c === '"') quoted = false;
    } else if (c !== " " && c !== "\n" && c !== "\r" && c !== "\t") {
      result += c;
      quoted = c === '"';
    }
  }
  return result;
}

/** Indented by two, but whatever fits within `width` columns stays on one line. Digits are kept. */
export function pretty(text: string, width = 100): string {
  const tree = parse(text);
  if (!tree) return text;
  const flat = (node: Node): string => {
    const children = node.children ?? [];
    if (node.type === "property") return `${source(children[0]!)}: ${flat(children[1]!)}`;
    if (node.type === "array") return `[${children.map(flat).join(", ")}]`;
    if (node.type === "object") return children.length ? `{ ${children.map(flat).join(", ")} }` : "{}";
    return source(node);
  };
  const source = (node: Node) => text.slice(node.offset, node.offset + node.length);
  const write = (node: Node, indent: string, before: number): string => {
    const line = flat(node);
    const compound = node.type === "object" || node.type === "array";
    if (!compound || (indent.length + before + line.length <= width && indent !== "")) return line;
    const deeper = `${indent}  `;
    const members = (node.children ?? []).map((child) => {
      if (child.type !== "property") return deeper + write(child, deeper, 0);
      const key = `${source(child.children![0]!)}: `;
      return deeper + key + write(child.children![1]!, deeper, key.length);
    });
    const [open, close] = node.type === "object" ? "{}" : "[]";
    return members.length ? `${open}\n${members.join(",\n")}\n${indent}${close}` : `${open}${close}`;
  };
  return `${write(tree, "", 0)}\n`;
}
