// SPDX-License-Identifier: Apache-2.0
// Bytes of a file to text, strictly: a wrong byte is reported with its place, never replaced by a mark.

export type Decoded = { ok: true; text: string } | { ok: false; line: number; column: number };

export function decodeUtf8(bytes: Uint8Array): Decoded {
  const whole = attempt(bytes);
  if (whole !== null) return { ok: true, text: whole };
  // The longest beginning that decodes (as a stream: it may end inside a character) ends at the fault.
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (attempt(bytes.subarray(0, middle), true) === null) high = middle - 1;
    else low = middle;
  }
  const lines = (attempt(bytes.subarray(0, low), true) ?? "").split(/\r\n|\r|\n/);
  return { ok: false, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function attempt(bytes: Uint8Array, stream = false): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream });
  } catch {
    return null;
  }
}
