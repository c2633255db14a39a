// SPDX-License-Identifier: Apache-2.0
// All tests, each by its own runner, whose closing line is left as it is. A failed build ends the run; failed
// tests do not keep the other runners from running.
//   node .ci/test.mjs              gcc, WebAssembly in Node, the page's parts, the page in Chromium
//   node .ci/test.mjs --sanitize   also AddressSanitizer and UndefinedBehaviorSanitizer
//   node .ci/test.mjs --all        also clang, and the statistical tests at full size (PRISM_FULL=1)
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configure, preset, publish, site, wasm } from "./build.mjs";
import { setup } from "./setup.mjs";
import { beside, fail, jobs, root, say, succeeds } from "./shell.mjs";

const all = process.argv.includes("--all");
const sanitize = all || process.argv.includes("--sanitize");
const full = all ? { PRISM_FULL: "1" } : {};
const failed = [];
const logs = join(root, "build", "tests");
mkdirSync(logs, { recursive: true });

/** What a runner prints is shown, and kept in a file to be repeated at the end of a run that failed. */
function test(name, command, args, env = {}) {
  say(`Test: ${name}`);
  const log = join(logs, `${name.replace(/\W+/g, "-")}.log`);
  const kept = ["-o", "pipefail", "-c", '"$@" 2>&1 | tee "$0"', log, command, ...args];
  if (!succeeds("bash", kept, { env })) failed.push({ name, log });
}

function report({ name, log }) {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  console.log(`\n== The end of what failed: ${name} (whole: ${log})\n${lines.slice(-40).join("\n")}`);
}

function ctest(presetName, env, more = []) {
  test(`core, ${presetName}`, "ctest", ["--preset", presetName, "--parallel", jobs, ...more], env);
}

// What only repeats the same code for the sake of statistics is left out under sanitizers, unless all is asked for.
const statistics =
  "EvidenceFit.(the_right|median|families)|TrainingRunDaly|TrainingRunCapacity|TrainingRunSpares|TrainingRunExamples|" +
  "Gallery.TrainingExample|EngineAgainstReference|FastPath.Agrees|FastPath.Detects|FastPathKnows|Detects|Examples.Shared|" +
  "Scaling.Grows|Sensitivity.KindsWithout|WeightGradients|CrossedGroups.EngineAgrees";

const nodeTest = (name, folders, env) => test(name, process.execPath, ["--test", ...folders], env);

setup({ all });

preset("native");
publish();

// Built beside the tests and the page, which leave a core idle half of the time.
const sanitized = { name: "build for the sanitizers", log: join(logs, "build-sanitize.log") };
let built;
if (sanitize) {
  // Sums and statistics repeat the same code; without them a third of the time is saved.
  say(`Build: sanitize, beside what follows; its log is ${sanitized.log}`);
  configure("sanitize", all ? ["-DPRISM_SUITES=."] : []);
  built = beside("ninja", ["-C", join(root, "build", "sanitize"), "-j", jobs], sanitized.log);
}
ctest("native", full);

wasm();
if (all) preset("clang");
nodeTest("set-up scripts", ["tests/contract"]);
nodeTest("WebAssembly in Node, and the same bytes everywhere", ["tests/wasm", "tests/determinism"], {
  PRISM_CLANG: all ? "1" : "",
  ...full,
});

site();
test("page: types", "npm", ["run", "--silent", "types"]);
test("page: parts, and in Chromium", "npm", ["exec", "--offline", "--", "vitest", "run"], full);

if (all) ctest("clang");
if (sanitize) {
  say("Build: sanitize, the rest of it");
  if (await built)
    ctest(
      "sanitize",
      {
        ASAN_OPTIONS: "detect_leaks=1",
        UBSAN_OPTIONS: "print_stacktrace=1",
        ...(all ? {} : { PRISM_SANITIZED: "1" }),
      },
      all ? [] : ["--exclude-regex", statistics],
    );
  else failed.push(sanitized);
}

for (const each of failed) report(each);
if (failed.length > 0) fail(`Failed: ${failed.map((each) => each.name).join("; ")}`);
say("All tests passed");
