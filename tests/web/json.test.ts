// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  depthOf,
  minify,
  offsetOf,
  pathOf,
  pointerOf,
  pretty,
  rangeOf,
  valueAt,
  withBlock,
  withValue,
} from "../../web/src/base/json";

const text = `{
  "prism": 1,
  "parallel": { "tp": 8, "dp": 1e2 },
  "batch": {
    "global": 2048
  },
  "odd/key~": [1, { "x": 2 }]
}
`;

describe("a change of one value", () => {
  test("leaves every other character alone", () => {
    expect(withValue(text, "/parallel/tp", 16)).toBe(text.replace('"tp": 8', '"tp": 16'));
    expect(withValue(text, "/odd~1key~0/1/x", "y")).toBe(text.replace('"x": 2', '"x": "y"'));
  });
  test("puts a new key on the line of its neighbours", () => {
    expect(withValue(text, "/parallel/pp", 4)).toContain('"parallel": { "tp": 8, "dp": 1e2, "pp": 4 }');
    expect(withValue(text, "/batch/micro", 1)).toContain('    "global": 2048,\n    "micro": 1\n');
  });
  test("makes the objects that are missing", () => {
    const changed = withValue(text, "/run/seed", "7");
    expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), run: { seed: "7" } });
    expect(changed).toBe(text.replace("2 }]", '2 }],\n  "run": { "seed": "7" }'));
    expect(withValue("{}", "/run/seed", "7")).toBe('{ "run": { "seed": "7" } }');
  });
  test("removes", () => {
    expect(withValue(text, "/parallel/tp", undefined)).toBe(text.replace('"tp": 8, ', ""));
    expect(withValue(text, "/parallel/dp", undefined)).toBe(text.replace(', "dp": 1e2', ""));
    expect(JSON.parse(withValue(text, "/batch/global", undefined)).batch).toEqual({});
    expect(withValue(text, "/nothing/here", undefined)).toBe(text);
  });
  test("writes objects on one line", () => {
    expect(withValue('{"a": 1}', "/a", { b: [1, { c: "d" }], e: {} })).toBe(
      '{"a": { "b": [1, { "c": "d" }], "e": {} }}',
    );
  });
});

describe("places", () => {
  test("a value is found by its pointer", () => {
    const [from, to] = rangeOf(text, "/odd~1key~0/1");
    expect(text.slice(from, to)).toBe('{ "x": 2 }');
  });
  test("a missing key is at its parent's brace", () => {
    const [from, to] = rangeOf(text, "/parallel/pp/deeper");
    expect(text.slice(from, to)).toBe("{");
    expect(text.slice(0, from).endsWith('"parallel": ')).toBe(true);
  });
  test("line and column count UTF-16 units from 1", () => {
    expect(offsetOf("a\n𝄞b", 2, 3)).toBe(4);
    expect(offsetOf("a\nb", 9, 9)).toBe(3);
    expect(offsetOf("ab", 1, 99)).toBe(2);
  });
  test("pointers and paths are inverse", () => {
    for (const pointer of ["", "/a/0/b", "/odd~1key~0/1"]) expect(pointerOf(pathOf(pointer))).toBe(pointer);
    expect(valueAt(JSON.parse(text), "/odd~1key~0/0")).toBe(1);
    expect(valueAt(JSON.parse(text), "/prism/toString")).toBeUndefined();
    expect(valueAt(JSON.parse(text), "/constructor")).toBeUndefined();
  });
});

describe("layout of text", () => {
  test("minify takes white space only, and none from strings", () => {
    expect(minify(' { "a b" : [ 1e3 ,\t"\\" x" ]\r\n}')).toBe('{"a b":[1e3,"\\" x"]}');
  });
  test("pretty keeps digits, order and short things on one line", () => {
    const source = '{"b":1e3,"a":[0.10,18446744073709551615],"o":{"x":{}}}';
    expect(pretty(source)).toBe(
      '{\n  "b": 1e3,\n  "a": [0.10, 18446744073709551615],\n  "o": { "x": {} }\n}\n',
    );
    expect(minify(pretty(source))).toBe(source);
  });
  test("pretty breaks what does not fit", () => {
    const long = JSON.stringify({ list: Array.from({ length: 40 }, (_, i) => i * 1000) });
    expect(pretty(long).split("\n").length).toBe(45);
    expect(minify(pretty(long))).toBe(long);
  });
  test("depth counts brackets outside strings", () => {
    expect(depthOf('[[{"[[[[": "\\"[["}]]')).toBe(3);
  });
});

describe("a block", () => {
  const text = '{\n  "prism": 1,\n  "variability": "none",\n  "run": { "trials": 10 }\n}\n';
  test("that fits stays on its line", () => {
    expect(withBlock(text, "/variability", { preset: "none" })).toBe(
      text.replace('"none"', '{ "preset": "none" }'),
    );
  });
  test("that does not fit is laid out over several, indented as its key; nothing else moves", () => {
    const factors = Array.from({ length: 4 }, () => ({
      what: "compute",
      scope: "operation",
      period: "operation",
    }));
    const changed = withBlock(text, "/variability", { preset: "none", factors });
    expect(JSON.parse(changed).variability.factors).toEqual(factors);
    expect(
      changed.startsWith('{\n  "prism": 1,\n  "variability": {\n    "preset": "none",\n    "factors": [\n'),
    ).toBe(true);
    expect(changed.endsWith('\n    ]\n  },\n  "run": { "trials": 10 }\n}\n')).toBe(true);
    expect(Math.max(...changed.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
  test("is taken out when it is undefined, and a text that is no JSON is left alone", () => {
    expect(withBlock(text, "/variability", undefined)).not.toContain("variability");
    expect(withBlock("{ block", "/variability", {})).toBe("{ block");
  });
});
