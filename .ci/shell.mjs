// SPDX-License-Identifier: Apache-2.0
// What every script here needs: where the project is, and one way to run a program.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const jobs = String(availableParallelism());

/** True when the script at `url` is the program that was started, not a module of another one. */
export const isMain = (url) =>
  process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(url);

/** A heading in the output, with the time since the script started: says what is slow. */
export const say = (text) => console.log(`\n== ${text}  (${performance.now().toFixed(0) / 1000} s)`);

export function fail(text) {
  console.error(`\n${text}`);
  process.exit(1);
}

/** Runs a program from the project's folder with its output shown; ends the script when it fails. */
export function run(command, args, { env = {} } = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (done.error) fail(`${command}: ${done.error.message}`);
  if (done.status !== 0) fail(`Failed (${done.signal ?? done.status}): ${command} ${args.join(" ")}`);
}

/** The same, but tells whether it went well instead of ending the script. */
export function succeeds(command, args, { env = {} } = {}) {
  return (
    spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status === 0
  );
}

/**
 * Starts a program that takes the processor time which others leave, what it prints going to `log`. The promise tells,
 * at its end, whether it went well.
 */
export function beside(command, args, log) {
  const out = openSync(log, "w");
  const child = spawn("nice", ["-n", "19", command, ...args], { cwd: root, stdio: ["ignore", out, out] });
  closeSync(out);
  process.on("exit", () => child.kill());
  return new Promise((end) => {
    child.on("error", () => end(false));
    child.on("exit", (code) => end(code === 0));
  });
}

/** Modification time in milliseconds; 0 for what does not exist. */
export const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
