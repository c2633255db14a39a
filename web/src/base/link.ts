// SPDX-License-Identifier: Apache-2.0
// The share link, as docs/link.md defines it to the byte. It lives in the fragment of the address, so it is never
// sent to a server. Nothing in it is trusted: the check comes before inflating, inflating (by the browser itself) is
// bounded while it streams, and every way to fail has its own message.

import { deflateSync, strToU8 } from "fflate";
import dictionaryLines from "../../../core/cli/link_dictionary.txt?raw";
import { depthOf, minify } from "./json";
import { sha256 } from "./sha256";

export interface Shared {
  /** Engine version that made the result. */
  engine: string;
  /** The result's digest, 16 hex digits; empty if the scenario was not run. */
  digest: string;
  /** The scenario, JSON text as its author wrote it, without white space between tokens. */
  scenario: string;
}

export type LinkOutcome = "not_a_link" | "newer" | "truncated" | "damaged" | "too_large" | "unsafe_text";

export interface LinkFault {
  outcome: LinkOutcome;
  message: string;
}

export type Opened = { ok: true; shared: Shared } | { ok: false; fault: LinkFault };

/** Bytes an envelope may have, and characters a payload. */
export const inflated_limit = 1_048_576;
const payload_limit = 1_400_000;

/** Text that both sides know, so that a link need not spell it out. */
const dictionary = strToU8(dictionaryLines.replaceAll("\n", ""));

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = Math.min(bytes.length - i, 3) + 1;
    for (let k = 0; k < digits; k++) text += alphabet[(word >> (18 - 6 * k)) & 63];
  }
  return text;
}

const digit_of = new Int8Array(128).fill(-1);
for (let i = 0; i < alphabet.length; i++) digit_of[alphabet.charCodeAt(i)] = i;

/** Null unless canonical: no foreign character, no impossible length, unused bits zero. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const value = digit_of[text.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    word = ((word << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (word >> bits) & 0xff;
    }
  }
  return (word & ((1 << bits) - 1)) === 0 ? bytes : null;
}

const checkOf = (payload: string) => sha256(strToU8(payload, true)).slice(0, 8);

/** The fragment for a scenario and the result it gave, "#" included. */
export function makeLink(shared: Shared): string {
  const envelope = `{"engine":"${shared.engine}","digest":"${shared.digest}","scenario":${minify(shared.scenario)}}`;
  const payload = toBase64Url(deflateSync(strToU8(envelope), { level: 9, mem: 8, dictionary }));
  return `#v1.${payload.length.toString(36)}-${checkOf(payload)}.${payload}`;
}

/** Reads a whole URL, or the part from "#" or "v". The numbers are the rules of docs/link.md. */
export async function openLink(given: string): Promise<Opened> {
  const whole = given.replace(/[\t\n\v\f\r ]+/g, ""); // 1
  const text = whole.slice(whole.indexOf("#") + 1);
  const [, version, rest] = /^v(\d+)(.*)$/s.exec(text) ?? [];
  if (version === undefined || rest === undefined) return fault("not_a_link"); // 2
  if (/^0./.test(version) || version === "0") return fault("damaged"); // 3
  if (version !== "1") {
    const shown = version.length > 9 ? `${version.slice(0, 9)}…` : version;
    return fault(
      "newer",
      `This link was made by a newer Prism (link format ${shown}); this one reads format 1.`,
    );
  }
  if (/^(\.([1-9a-z][0-9a-z]{0,5}(-[0-9a-f]{0,8})?)?)?$/.test(rest)) return fault("truncated"); // 4
  const [, length36, check, payload] = /^\.([1-9a-z][0-9a-z]{0,5})-([0-9a-f]{8})\.(.*)$/s.exec(rest) ?? [];
  if (length36 === undefined || check === undefined || payload === undefined) return fault("damaged"); // 5
  const length = Number.parseInt(length36, 36);
  if (length > payload_limit) return fault("too_large"); // 6
  if (payload.length < length) {
    const arrived = `${payload.length} of ${length} characters arrived`; // 7
    return fault("truncated", `This link is cut off: ${arrived}. Copy the whole link.`);
  }
  if (payload.length > length || checkOf(payload) !== check) return fault("damaged"); // 7, 8
  const packed = fromBase64Url(payload);
  if (!packed) return fault("damaged"); // 9
  const inflated = await inflateBounded(packed);
  if (inflated === "too_large") return fault("too_large"); // 10
  const shared = inflated && envelope(inflated);
  if (!shared) return fault("damaged"); // 11
  if (holdsControls(JSON.parse(shared.scenario))) return fault("unsafe_text"); // 12
  return { ok: true, shared };
}

const messages: Record<LinkOutcome, string> = {
  not_a_link: 'This is not a Prism link: it should contain "#v1." followed by the scenario.',
  newer: "This link was made by a newer Prism; this one reads format 1.",
  truncated: "This link is cut off. Copy the whole link.",
  damaged: "This link is damaged: its check does not match its content. Copy it again from where it came.",
  too_large: "This link is refused: its content is larger than 1 MB.",
  unsafe_text: "This link is refused: its text contains control characters.",
};

function fault(outcome: LinkOutcome, message = messages[outcome]): Opened {
  return { ok: false, fault: { outcome, message } };
}

/** Null if the bytes are not one whole deflate stream with nothing after it. */
async function inflateBounded(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array | "too_large" | null> {
  const inflated = await inflate(packed);
  // Some inflaters ignore what follows a stream. But then the stream is still whole without its last byte.
  if (inflated instanceof Uint8Array && (await inflate(packed.subarray(0, -1))) !== null) return null;
  return inflated;
}

/** A stored block before the stream does what a preset dictionary does, which the browser's inflater cannot be given. */
const stored = Uint8Array.of(
  0,
  dictionary.length & 0xff,
  dictionary.length >> 8,
  ~dictionary.length & 0xff,
  (~dictionary.length >> 8) & 0xff,
  ...dictionary,
);

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array | "too_large" | null> {
  const stream = new DecompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const ignore = () => {};
  writer.write(stored).catch(ignore);
  // A slice is inflated once the one before is read. Deflate gains at most 1032 : 1, so a slice of 512 bytes passes the
  // limit by half a megabyte at most.
  const slice = 512;
  for (let at = 0; at < packed.length; at += slice)
    writer.write(packed.subarray(at, at + slice)).catch(ignore);
  writer.close().catch(ignore);
  const all = new Uint8Array(dictionary.length + inflated_limit);
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return all.subarray(dictionary.length, size);
      if (size + value.length > all.length) {
        reader.cancel().catch(ignore);
        return "too_large";
      }
      all.set(value, size);
      size += value.length;
    }
  } catch {
    return null;
  }
}

const envelope_form =
  /^\{"engine":"([0-9A-Za-z.+-]{1,32})","digest":"((?:[0-9a-f]{16})?)","scenario":(\{[\s\S]*\})\}$/;

/** Levels of nesting the core reads. */
const depth_limit = 64;

function envelope(bytes: Uint8Array): Shared | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const [, engine, digest, scenario] = envelope_form.exec(text) ?? [];
    if (engine === undefined || digest === undefined || scenario === undefined) return null;
    if (depthOf(scenario) > depth_limit) return null;
    JSON.parse(scenario);
    return { engine, digest, scenario };
  } catch {
    return null;
  }
}

/** Control characters, and the marks that reverse the direction of text, could disguise what a scenario says. */
const controls = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function holdsControls(value: unknown): boolean {
  if (typeof value === "string") return controls.test(value);
  if (Array.isArray(value)) return value.some(holdsControls);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, member]) => controls.test(key) || holdsControls(member));
}
