// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fromBase64Url, type LinkOutcome, makeLink, openLink, toBase64Url } from "../../web/src/base/link";
import { sha256 } from "../../web/src/base/sha256";

const scenario = JSON.stringify({
  prism: 1,
  title: "Eight × eight",
  parallel: { tp: 8, pp: 16, dp: 128 },
  run: { trials: 10000, seed: "18446744073709551615" },
});
const shared = { engine: "0.1.0", digest: "0123456789abcdef", scenario };
const link = makeLink(shared);

const outcome = async (text: string): Promise<LinkOutcome | "opened"> => {
  const opened = await openLink(text);
  return opened.ok ? "opened" : opened.fault.outcome;
};

/** A link around any bytes, with length and check as they should be. */
function forge(packed: Uint8Array): string {
  const payload = toBase64Url(packed);
  const check = createHash("sha256").update(payload).digest("hex").slice(0, 8);
  return `#v1.${payload.length.toString(36)}-${check}.${payload}`;
}
const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const dictionary = Buffer.from(file("core/cli/link_dictionary.txt").replaceAll("\n", ""));
const deflate = (bytes: string | Uint8Array) => deflateRawSync(Buffer.from(bytes), { level: 9, dictionary });
const forgeText = (text: string) => forge(deflate(text));
const around = (inner: string) => forgeText(`{"engine":"0.1.0","digest":"","scenario":${inner}}`);

describe("sha256", () => {
  test("agrees with Node's for every length around the block size", () => {
    for (let n = 0; n < 200; n++) {
      const bytes = randomBytes(n);
      expect(sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
    const large = randomBytes(1_000_003);
    expect(sha256(large)).toBe(createHash("sha256").update(large).digest("hex"));
  });
});

describe("base64url", () => {
  test("agrees with Node's and comes back", () => {
    for (let n = 0; n < 100; n++) {
      const bytes = randomBytes(n);
      expect(toBase64Url(bytes)).toBe(bytes.toString("base64url"));
      expect(Buffer.from(fromBase64Url(toBase64Url(bytes))!)).toEqual(bytes);
    }
  });
  test("only the canonical spelling is read", () => {
    expect(fromBase64Url("QQ")).toEqual(Uint8Array.of(65));
    expect(fromBase64Url("QR")).toBeNull();
    expect(fromBase64Url("QQ==")).toBeNull();
    expect(fromBase64Url("Q")).toBeNull();
    expect(fromBase64Url("Q+")).toBeNull();
  });
});

describe("a link", () => {
  test("gives back what it was made of", async () => {
    expect(await openLink(link)).toEqual({ ok: true, shared });
    expect(await openLink(`https://any.host/prism/${link}`)).toEqual({ ok: true, shared });
    expect(await openLink(`${link.slice(0, 70)}\r\n  ${link.slice(70)}`)).toEqual({ ok: true, shared });
  });

  test("of the 405B example has at most 400 characters, as do others like it", async () => {
    for (const name of ["llama3-405b-16384-h100", "variability-1024", "fsdp-65536", "million-steps-65536"]) {
      const long = makeLink({ ...shared, scenario: file(`examples/${name}.json`) });
      expect(long.length, name).toBeLessThanOrEqual(400);
      expect(await outcome(long)).toBe("opened");
    }
  });

  test("a stream that does without the dictionary opens as well", async () => {
    const plain = deflateRawSync(Buffer.from(`{"engine":"0.1.0","digest":"","scenario":{"prism":1}}`));
    expect(await openLink(forge(plain))).toMatchObject({ shared: { scenario: '{"prism":1}' } });
  });

  test("the dictionary is the one that links were written with", () => {
    expect(createHash("sha256").update(dictionary).digest("hex")).toBe(
      "bf0273bbb0bf410e36ac05ccd2c0ea89d214c9311af7525a450885606f614fce",
    );
  });

  test("keeps the spelling of numbers and the order of keys", async () => {
    const written = '{ "b": 1e3,\n "a": [ 0.10, 18446744073709551615 ], "t": "two  spaces \\" { " }';
    const opened = await openLink(makeLink({ ...shared, scenario: written }));
    expect(opened).toMatchObject({
      shared: { scenario: '{"b":1e3,"a":[0.10,18446744073709551615],"t":"two  spaces \\" { "}' },
    });
  });

  test("no change of one character opens", async () => {
    const alphabet = "AZaz09-_.#v1%";
    for (let at = 1; at < link.length; at++) {
      for (const c of alphabet) {
        if (c === link[at]) continue;
        const changed = link.slice(0, at) + c + link.slice(at + 1);
        // A second "#" moves the beginning; it must still not open.
        expect(await outcome(changed), changed).not.toBe("opened");
      }
    }
  });

  test("10,000 random changes of one character: none opens", async () => {
    const legal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.#%+/= ";
    let state = 1;
    /** An LCG (Knuth's constants), so that every run tries the same. */
    const draw = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const example = file("examples/llama3-405b-16384-h100.json");
    const whole = makeLink({ ...shared, scenario: example });
    let tried = 0;
    while (tried < 10_000) {
      // Not the "#": what stands before it is no part of the link. White space is taken out, and a space for a
      // character is a missing one.
      const at = 1 + draw(whole.length - 1);
      const c = legal[draw(legal.length)]!;
      if (c === whole[at]) continue;
      tried++;
      const changed = whole.slice(0, at) + c + whole.slice(at + 1);
      expect(await outcome(changed), changed).not.toBe("opened");
    }
  });

  test("cut off anywhere says so", async () => {
    for (let keep = 3; keep < link.length; keep++)
      expect(await outcome(link.slice(0, keep))).toBe("truncated");
    for (const lost of [0.01, 0.1, 0.5]) {
      const opened = await openLink(link.slice(0, Math.floor(link.length * (1 - lost))));
      expect(opened).toMatchObject({
        fault: { message: expect.stringMatching(/cut off: \d+ of \d+ characters/) },
      });
    }
  });

  test("each fault has its outcome", async () => {
    const cases: [string, LinkOutcome][] = [
      ["", "not_a_link"],
      ["#hello", "not_a_link"],
      ["https://example.org/", "not_a_link"],
      ["#v2.5-01234567.AAAAA", "newer"],
      ["#v12", "newer"],
      ["#v0.1-01234567.A", "damaged"],
      ["#v01.1-01234567.A", "damaged"],
      ["#v1", "truncated"],
      ["#v1.2s-0123", "truncated"],
      ["#v1.02s-01234567.AA", "damaged"],
      ["#v1,2s-01234567.AA", "damaged"],
      ["#v1.zzzzz-01234567.AA", "too_large"],
      [`${link}A`, "damaged"],
      [link.toUpperCase().replace("#V", "#v"), "damaged"],
      [forge(randomBytes(80)), "damaged"],
      [forge(new Uint8Array(0)).replace(".0-", ".1-"), "truncated"],
      [forge(deflate("{}").subarray(0, -1)), "damaged"],
      [forge(Buffer.concat([deflate(`{"engine":"1","digest":"","scenario":{}}`), Buffer.of(0)])), "damaged"],
      [forge(deflate(Uint8Array.of(0x7b, 0xff, 0x7d))), "damaged"],
      [forgeText("[]"), "damaged"],
      [forgeText(`{"engine":"<b>","digest":"","scenario":{}}`), "damaged"],
      [forgeText(`{"engine":"1","digest":"xyz","scenario":{}}`), "damaged"],
      [around("{]}"), "damaged"],
      [around(`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`), "damaged"],
      [around('{"title":"a\\u0007b"}'), "unsafe_text"],
      [around('{"title":"a\\nb"}'), "unsafe_text"],
      [around('{"a":{"b":[{"\\u202e":1}]}}'), "unsafe_text"],
      [around('{"title":"\\u0085"}'), "unsafe_text"],
    ];
    for (const [text, expected] of cases) expect(await outcome(text), text.slice(0, 80)).toBe(expected);
    expect(await outcome(around('{"title":"<img src=x onerror=alert(1)> é 𝄞"}'))).toBe("opened");
  });

  test("one that inflates to 100 MB is refused at once", async () => {
    const bomb = forgeText(`{"engine":"1","digest":"","scenario":{"a":"${"x".repeat(100_000_000)}"}}`);
    const before = performance.now();
    expect(await outcome(bomb)).toBe("too_large");
    expect(performance.now() - before).toBeLessThan(1000);
  });

  test("just below the limit opens, just above does not", async () => {
    const sized = (n: number) => {
      const head = '{"engine":"1","digest":"","scenario":{"a":"';
      return forgeText(`${head}${"x".repeat(n - head.length - 3)}"}}`);
    };
    expect(await outcome(sized(1_048_576))).toBe("opened");
    expect(await outcome(sized(1_048_577))).toBe("too_large");
  });

  test("a scenario that does not compress travels too", async () => {
    for (const n of [100, 3000, 40_000]) {
      const long = JSON.stringify({ title: randomBytes(n).toString("hex") });
      expect(await openLink(makeLink({ ...shared, scenario: long }))).toMatchObject({
        ok: true,
        shared: { scenario: long },
      });
    }
  });
});

describe("the corpus that page and program share", () => {
  const published = file("tests/links/published.txt")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));
  const refused = JSON.parse(file("tests/links/refused.json")) as {
    why: string;
    link: string;
    outcome: LinkOutcome;
  }[];
  test("every link ever published opens", async () => {
    expect(published.length).toBeGreaterThan(0);
    for (const line of published) expect(await outcome(line), line.slice(0, 60)).toBe("opened");
  });
  test.each(refused)("$outcome: $why", async (each) => expect(await outcome(each.link)).toBe(each.outcome));
});
