// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cardSvg, configuration } from "../../web/src/base/card";
import { sampleResult } from "./sample-result";

const link = "https://any.host/prism/#v1.2-01234567.AA";
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("the card says what was computed, how sure it is and where it comes from", () => {
  const result = sampleResult();
  const svg = plain(cardSvg("<g/>", { result, link }));
  for (const fact of ["6.50 s", "6.95 s", "6.99 s", "95 %: 6.943 to 6.957 s", "6.20 s", "seed 5", link])
    expect(svg).toContain(fact);
  expect(svg).toContain(`Prism 0.1.0, seed 5, 10,000 trials, digest ${result.digest}`);
  expect(svg).toContain(configuration(result));
});

test("its text is text, whatever the title holds", () => {
  const result = sampleResult({ result: { title: `<script>&${"x".repeat(190)}` } });
  const svg = cardSvg("", { result, link });
  expect(svg).toContain("&lt;script&gt;&amp;xx");
  expect(svg).toContain("x…</text>");
});

test("a link too long for a picture is not cut but said to be missing", () => {
  const svg = cardSvg("", { result: sampleResult(), link: `https://any.host/#v1.${"x".repeat(500)}` });
  expect(svg).toContain("too many for a picture");
  expect(svg).not.toContain("#v1.");
});
