// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { decodeUtf8 } from "../../web/src/base/utf8";

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((p) => (typeof p === "string" ? [...new TextEncoder().encode(p)] : p)));

test("text decodes", () => {
  expect(decodeUtf8(bytes("a\né 𝄞"))).toEqual({ ok: true, text: "a\né 𝄞" });
  expect(decodeUtf8(bytes(""))).toEqual({ ok: true, text: "" });
});

test("a wrong byte has its line and column, in UTF-16 units", () => {
  expect(decodeUtf8(bytes("a\n𝄞b", [0xff], "c"))).toEqual({ ok: false, line: 2, column: 4 });
  expect(decodeUtf8(bytes([0x80]))).toEqual({ ok: false, line: 1, column: 1 });
  expect(decodeUtf8(bytes("a\r\nb\r", [0xc0, 0x80]))).toEqual({ ok: false, line: 3, column: 1 });
});

test("a character cut off at the end is a fault", () => {
  expect(decodeUtf8(bytes("ab", [0xe2, 0x82]))).toEqual({ ok: false, line: 1, column: 3 });
});
