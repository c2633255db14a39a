// SPDX-License-Identifier: Apache-2.0
// From a fresh clone to an answer: set-up, build, the default example in the terminal, then the page.
import { join } from "node:path";
import { build } from "./build.mjs";
import { serveSite } from "./serve.mjs";
import { setup } from "./setup.mjs";
import { root, run, say } from "./shell.mjs";

setup();
build();
say("prism run examples/llama3-405b-16384-h100.json");
run(join(root, "build", "prism"), ["run", "examples/llama3-405b-16384-h100.json"]);
await serveSite();
