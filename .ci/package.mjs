// SPDX-License-Identifier: Apache-2.0
// The npm package of the core, from the built module: folder build/package and a tarball in it.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fail, isMain, root } from "./shell.mjs";

export const folder = join(root, "build", "package");

/** Makes the folder anew and packs it; the path of the tarball. */
export function makePackage() {
  const built = join(root, "build", "wasm");
  if (!existsSync(join(built, "prism.wasm")))
    fail("There is no module in build/wasm yet. Run: npm run build");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "wasm", "package"), folder, { recursive: true });
  for (const name of ["prism.mjs", "prism.wasm"]) copyFileSync(join(built, name), join(folder, name));
  copyFileSync(join(root, "wasm", "module.d.ts"), join(folder, "prism.d.mts"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const compiled = join(root, "web", "licenses", "compiled");
  const notices = readdirSync(compiled)
    .sort()
    .map((name) => readFileSync(join(compiled, name), "utf8").trim());
  writeFileSync(join(folder, "NOTICES.txt"), `${notices.join(`\n\n${"=".repeat(100)}\n\n`)}\n`);
  const { version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const about = {
    name: "prism-core",
    version,
    description,
    license,
    type: "module",
    engines: { node: ">=20" },
    exports: {
      ".": { types: "./index.d.mts", default: "./index.mjs" },
      "./prism.wasm": "./prism.wasm",
    },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json"], { cwd: folder, encoding: "utf8" }));
  return join(folder, packed.filename);
}

if (isMain(import.meta.url)) console.log(makePackage());
