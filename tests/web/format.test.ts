// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import * as format from "../../web/src/base/format";

describe("a duration", () => {
  test("has as many digits as its interval allows", () => {
    expect(format.duration(6.91234, 0.007)).toBe("6.91\u00a0s");
    expect(format.duration(6.91234, 0.0007)).toBe("6.912\u00a0s");
    expect(format.duration(6.91234, 0.00007)).toBe("6.9123\u00a0s");
  });
  test("has three to six digits, whatever the interval", () => {
    expect(format.duration(6.91234567, 0.4)).toBe("6.91\u00a0s");
    expect(format.duration(6.91234567, 1e-9)).toBe("6.91235\u00a0s");
    expect(format.duration(6.91234567, null)).toBe("6.91\u00a0s");
    expect(format.duration(1234.5, null, format.unitFor(1))).toBe("1,235\u00a0s");
  });
  test("reads in the unit of its size", () => {
    expect(format.duration(0.0123, null)).toBe("12.3\u00a0ms");
    expect(format.duration(4.2e-5, null)).toBe("42.0\u00a0µs");
    expect(format.duration(0, null)).toBe("0.00\u00a0s");
    expect(format.duration(200, null)).toBe("3.33\u00a0min");
    expect(format.duration(4 * 3600, null)).toBe("4.00\u00a0h");
  });
});

describe("an estimate beside its interval", () => {
  const shown = (value: number, low: number, high: number) => {
    const decimals = format.decimalsWithin(value, [low, high]);
    return `${format.number(value, decimals.value)} in ${format.number(low, decimals.interval)} to ${format.number(high, decimals.interval)}`;
  };
  test("is not rounded out of it", () => {
    expect(shown(2.5255, 2.524, 2.527)).toBe("2.526 in 2.5240 to 2.5270");
    expect(shown(2.52441, 2.5244, 2.529)).toBe("2.5244 in 2.5244 to 2.5290");
    expect(shown(6.91234, 6.9054, 6.9194)).toBe("6.91 in 6.905 to 6.919");
  });
  test("for any place of it and any width", () => {
    for (let width = 1e-4; width < 1; width *= 1.7)
      for (let i = 0; i <= 40; i++) {
        const value = 2 + i * 0.0173;
        const [low, high] = [value - (width * (i % 7)) / 6, value + (width * (6 - (i % 7))) / 6];
        const decimals = format.decimalsWithin(value, [low, high]);
        const at = (x: number, digits: number) => Number(x.toFixed(digits));
        expect(at(value, decimals.value)).toBeGreaterThanOrEqual(at(low, decimals.interval));
        expect(at(value, decimals.value)).toBeLessThanOrEqual(at(high, decimals.interval));
      }
  });
  test("has the digits of its size where a bound does not exist", () => {
    expect(format.decimalsWithin(6.9, [null, null])).toEqual({ value: 2, interval: 2 });
    expect(format.decimalsWithin(6.9, [6.8961, null])).toEqual({ value: 3, interval: 4 });
  });
});

describe("a headline", () => {
  test("has the fewest digits that stay in the interval", () => {
    const shown = (value: number, low: number, high: number) =>
      format.number(value, format.fewestWithin(value, [low, high]));
    expect(shown(6.77174, 6.7715, 6.7721)).toBe("6.772");
    expect(shown(6.77004, 6.7697, 6.7703)).toBe("6.77");
    expect(shown(6.76864, 6.7684, 6.7689)).toBe("6.7686");
    expect(shown(21.52, 21.31, 21.78)).toBe("21.5");
  });
  test("for any place of it and any width, with no more digits than beside an interval", () => {
    let fewer = 0;
    for (let width = 1e-4; width < 1; width *= 1.7)
      for (let i = 0; i <= 40; i++) {
        const value = 2 + i * 0.0173;
        const [low, high] = [value - (width * (i % 7)) / 6, value + (width * (6 - (i % 7))) / 6];
        const decimals = format.fewestWithin(value, [low, high]);
        const rounded = Number(value.toFixed(decimals));
        const beside = format.decimalsWithin(value, [low, high]);
        const at = (x: number) => Number(x.toFixed(beside.interval));
        expect(rounded).toBeGreaterThanOrEqual(at(low));
        expect(rounded).toBeLessThanOrEqual(at(high));
        expect(decimals).toBeLessThanOrEqual(beside.value);
        if (decimals < beside.value) fewer++;
      }
    expect(fewer).toBeGreaterThan(50);
  });
});

test("an interval whose bound does not exist says so", () => {
  const s = format.unitFor(1);
  expect(format.interval([6.9051, 6.9193], s, 3)).toBe("6.905 to 6.919");
  expect(format.interval([6.9051, null], s, 2)).toBe("at least 6.91");
  expect(format.interval([null, 6.9], s, 1)).toBe("at most 6.9");
  expect(format.interval([null, null], s, 1)).toBe("not known");
});

test("a half-width falls back to the side that exists", () => {
  expect(format.halfWidth(5, [4, 7])).toBe(1.5);
  expect(format.halfWidth(5, [4, null])).toBe(1);
  expect(format.halfWidth(5, [null, null])).toBeNull();
});

test("a mean carries two digits of its error", () => {
  expect(format.withError(6.830123, 0.00124)).toBe("6.8301 ± 0.0012");
  expect(format.withError(12, 0)).toBe("12.0000");
});

test("large numbers are grouped or shortened", () => {
  expect(format.count(16384)).toBe("16,384");
  expect(format.short(2_468_123)).toBe("2.47\u00a0M");
  expect(format.short(98_765)).toBe("98,765");
  expect(format.percent(0.4123)).toBe("41.2\u00a0%");
});

test("time left is coarse", () => {
  expect(format.timeLeft(0.2)).toBe("less than 1 s");
  expect(format.timeLeft(2.1)).toBe("about 3 s");
  expect(format.timeLeft(200)).toBe("about 3 min");
  expect(format.timeLeft(9000)).toBe("about 2.5 h");
});
