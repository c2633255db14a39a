// SPDX-License-Identifier: Apache-2.0
// The digest, computed a second time from docs/digest.md alone, without the core's code.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, runParts } from "./module.mjs";

const scenario = readFileSync(
  new URL("../../examples/operators-64-gpu-measured.json", import.meta.url),
  "utf8",
);

const length = (n) => {
  const word = Buffer.alloc(8);
  word.writeBigUInt64LE(BigInt(n));
  return word;
};

function* numbers(value) {
  if (value === null) yield Buffer.from("000000000000f87f", "hex");
  else if (typeof value === "number") {
    const word = Buffer.alloc(8);
    word.writeDoubleLE(value);
    yield word;
  } else if (typeof value === "object") for (const member of Object.values(value)) yield* numbers(member);
}

/** The member `scenario` of a result document as it stands in the text: the canonical resolved scenario. */
function resolvedText(document) {
  const start = document.indexOf('"scenario":') + '"scenario":'.length;
  let depth = 0;
  let inString = false;
  for (let i = start; ; ++i) {
    const c = document[i];
    if (inString) {
      if (c === "\\") ++i;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === "{") ++depth;
    else if (c === "}" && --depth === 0) return document.slice(start, i + 1);
  }
}

function digest(document, samples) {
  const { scenario: _s, assumptions: _a, warnings: _w, digest: _d, ...counted } = JSON.parse(document);
  const version = Buffer.from(counted.engine_version);
  const resolved = Buffer.from(resolvedText(document).trim());
  const hash = createHash("sha256");
  for (const bytes of [length(version.length), version, length(resolved.length), resolved])
    hash.update(bytes);
  hash.update(length(samples.length / 8)).update(samples);
  for (const word of numbers(counted)) hash.update(word);
  return hash.digest("hex").slice(0, 16);
}

test("the digest is the one that docs/digest.md defines", async () => {
  const module = await load();
  const { jobs, parts } = runParts([module], scenario);
  const [{ handle }] = jobs;
  const document = module.finish(handle, parts.trials, parts.attribution, parts.check);
  const samples = module.samples(handle, parts.trials);
  assert.equal(samples.length / 8, JSON.parse(document).trials);
  assert.equal(digest(document, samples), JSON.parse(document).digest);
});

test("one flipped bit of one trial changes it", async () => {
  const module = await load();
  const { jobs, parts } = runParts([module], scenario);
  const [{ handle }] = jobs;
  const finish = () => JSON.parse(module.finish(handle, parts.trials, parts.attribution, parts.check)).digest;
  const before = module.samples(handle, parts.trials);
  const digestBefore = finish();
  // The lowest bit of a mantissa: look for the byte whose change is seen in exactly one trial's step time.
  const part = parts.trials.at(-1);
  for (let byte = part.length - 1; ; --byte) {
    assert.ok(byte >= 0, "no byte of the last part is a trial's");
    part[byte] ^= 1;
    const after = module.samples(handle, parts.trials);
    if (Buffer.compare(before, after) !== 0) {
      const changed = [];
      for (let i = 0; i < before.length; i += 8)
        if (before.subarray(i, i + 8).join() !== after.subarray(i, i + 8).join()) changed.push(i / 8);
      assert.equal(changed.length, 1);
      assert.notEqual(finish(), digestBefore);
      part[byte] ^= 1;
      assert.equal(finish(), digestBefore);
      return;
    }
    part[byte] ^= 1;
  }
});
