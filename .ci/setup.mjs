// SPDX-License-Identifier: Apache-2.0
// Installs what the project needs and does not carry: Debian packages and npm packages. Does nothing, in a
// fraction of a second, when all is there.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, isMain, root, run, say } from "./shell.mjs";

const packages = {
  base: [
    ...["g++", "cmake", "ninja-build"], // the native program
    ...["emscripten"], // the WebAssembly module
    ...["nlohmann-json3-dev", "libpcg-cpp-dev", "libcli11-dev", "zlib1g-dev"], // libraries of the program
    ...["libgtest-dev", "googletest", "libbenchmark-dev"], // of its tests and benchmarks
    ...["chromium-headless-shell"], // the browser of the page's tests
  ],
  all: ["clang", "firefox-esr"], // the second compiler and the second browser of `npm run test:all`
  bench: ["python3-numpy"], // what `npm run bench` compares with
};

/** Those of the Debian packages that are not installed. */
export function missing(names) {
  // dpkg-query exits non-zero as soon as one name is unknown, and still prints the others.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const listed = spawnSync("dpkg-query", ["-W", "-f", "${Package} ${db:Status-Status}\n", ...names], {
    encoding: "utf8",
  });
  if (listed.error)
    fail(`This is not a Debian system. Prism is built with packages of Debian 12: ${names.join(" ")}`);
  const installed = new Set(listed.stdout.split("\n").filter((line) => line.endsWith(" installed")));
  return names.filter((name) => !installed.has(`${name} installed`));
}

/** Installs what is missing; without the right to do so, returns the command that a person has to run. */
export function systemPackages(names, { isRoot = process.getuid() === 0 } = {}) {
  const wanted = missing(names);
  if (wanted.length === 0) return undefined;
  const install = ["install", "-y", "--no-install-recommends", ...wanted];
  if (!isRoot) return `sudo apt-get update && sudo apt-get ${install.join(" ")}`;
  say(`System packages: ${wanted.join(" ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-q", "-o", "Acquire::Retries=3", "-o", "Dpkg::Use-Pty=0"];
  run("apt-get", [...options, "update"], { env });
  run("apt-get", [...options, ...install], { env });
  return undefined;
}

function npmPackages() {
  // The stamp lives inside node_modules, so that deleting the folder deletes it too. Some packages carry
  // machine code chosen for platform and Node's ABI.
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const want = `${lock} ${process.platform} ${process.arch} ${process.versions.modules}\n`;
  const stamp = join(root, "node_modules", ".prism-stamp");
  let have = "";
  try {
    have = readFileSync(stamp, "utf8");
  } catch {}
  if (have === want) return;
  say("npm packages");
  // Development packages are the build itself: NODE_ENV=production must not leave them out.
  run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, want);
}

/** `all`, `bench`: also what only the full test run, or the benchmark, needs. */
export function setup({ all = false, bench = false } = {}) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node 20.19 or newer is needed; this is ${process.version}.`);
  const command = systemPackages([
    ...packages.base,
    ...(all ? packages.all : []),
    ...(bench ? packages.bench : []),
  ]);
  if (command) fail(`System packages are missing. Run this once, then start again:\n\n  ${command}\n`);
  npmPackages();
}

if (isMain(import.meta.url)) setup({ all: process.argv.includes("--all") });
