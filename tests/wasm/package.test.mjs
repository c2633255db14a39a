// SPDX-License-Identifier: Apache-2.0
// The npm package of the core: packed, installed in an empty folder without a network, and run there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makePackage } from "../../.ci/package.mjs";
import { load, run } from "./module.mjs";

const empty = mkdtempSync(join(tmpdir(), "prism-package-"));
after(() => rmSync(empty, { recursive: true }));
const node = (script) =>
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: empty, encoding: "utf8" });
const example = readFileSync(new URL("../../examples/variability-1024.json", import.meta.url), "utf8");

test("the tarball installs offline in an empty folder", () => {
  const tarball = makePackage();
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], {
    cwd: empty,
    stdio: "pipe",
  });
  const files = readdirSync(join(empty, "node_modules", "prism-core"));
  for (const name of [
    "index.mjs",
    "index.d.mts",
    "prism.d.mts",
    "prism.wasm",
    "LICENSE",
    "NOTICES.txt",
    "README.md",
  ])
    assert.ok(files.includes(name), name);
});

test("a scenario run there has the module's digest", async () => {
  writeFileSync(join(empty, "scenario.json"), example);
  const shown = node(
    `import { readFileSync } from "node:fs"; import { run } from "prism-core";
     console.log((await run(readFileSync("scenario.json", "utf8"))).digest);`,
  ).trim();
  assert.equal(shown, run([await load()], example).digest);
});

test("a refused scenario rejects with its diagnostics", () => {
  const shown = node(
    `import { run } from "prism-core";
     await run({ prism: 1, parallell: {} }).catch((e) => console.log(e.errors[0].pointer));`,
  ).trim();
  assert.equal(shown, "/parallell");
});
