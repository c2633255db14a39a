// SPDX-License-Identifier: Apache-2.0
// Against the measured data in the folder that PRISM_MEASURED_DATA names: the tests of tests/validation, and
// docs/validation.md written anew.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { preset } from "./build.mjs";
import { setup } from "./setup.mjs";
import { fail, root, run } from "./shell.mjs";

if (!process.env.PRISM_MEASURED_DATA) fail("PRISM_MEASURED_DATA must name the folder of the measured data");
setup();
preset("native", ["measured_tests", "validation"], ["-DPRISM_VALIDATION=ON"]);
const built = join(root, "build", "native", "tests", "validation");
run(join(built, "measured_tests"), []);
const page = execFileSync(join(built, "cost_model", "validation"), { maxBuffer: 1 << 26 });
writeFileSync(join(root, "docs", "validation.md"), page);
console.log("docs/validation.md is written");
