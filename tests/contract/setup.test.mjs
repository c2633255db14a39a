// SPDX-License-Identifier: Apache-2.0
// What a person without root meets when system packages are missing: one command to run, nothing installed.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missing, systemPackages } from "../../.ci/setup.mjs";

/** Runs `body` with a dpkg-query on the path that knows only these packages. */
function withInstalled(lines, body) {
  const folder = mkdtempSync(join(tmpdir(), "prism-setup-"));
  const fake = join(folder, "dpkg-query");
  writeFileSync(fake, `#!/bin/sh\ncat <<'END'\n${lines.join("\n")}\nEND\nexit 1\n`);
  chmodSync(fake, 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}:${path}`;
  try {
    return body();
  } finally {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  }
}

test("only packages that are fully installed count", () => {
  const lines = ["g++ installed", "cmake config-files", "emscripten half-installed", "zlib1g-dev installed"];
  withInstalled(lines, () => {
    assert.deepEqual(missing(["g++", "cmake", "emscripten", "zlib1g-dev", "ninja-build"]), [
      "cmake",
      "emscripten",
      "ninja-build",
    ]);
  });
});

test("without root the one command is told and nothing is run", () => {
  const told = withInstalled(["g++ installed"], () =>
    systemPackages(["g++", "cmake", "emscripten"], { isRoot: false }),
  );
  assert.equal(
    told,
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends cmake emscripten",
  );
});
