// SPDX-License-Identifier: Apache-2.0
// A link as docs/link.md defines it, by Node's zlib: for what visits the page from outside. Right length and check, any
// content.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { root } from "./shell.mjs";

const dictionary = Buffer.from(
  readFileSync(join(root, "core/cli/link_dictionary.txt"), "utf8").replaceAll("\n", ""),
);

export const deflateEnvelope = (text) => deflateRawSync(Buffer.from(text), { level: 9, dictionary });

export function around(packed) {
  const payload = packed.toString("base64url");
  const check = createHash("sha256").update(payload).digest("hex").slice(0, 8);
  return `#v1.${payload.length.toString(36)}-${check}.${payload}`;
}

export const forge = (scenario, engine = "0.1.0", digest = "") =>
  around(deflateEnvelope(`{"engine":"${engine}","digest":"${digest}","scenario":${scenario}}`));
