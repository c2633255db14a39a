// SPDX-License-Identifier: Apache-2.0
// The server of `npm start` and `npm run serve`: files of the site with the right types, and nothing else.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../.ci/serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "prism-serve-"));
const site = join(folder, "site");
mkdirSync(join(site, "assets"), { recursive: true });
writeFileSync(join(site, "index.html"), "<!doctype html>");
writeFileSync(join(site, "assets", "prism.wasm"), "\0asm");
writeFileSync(join(site, "assets", "prism.mjs"), "export {};");
writeFileSync(join(folder, "secret.txt"), "secret");
mkdirSync(join(folder, "site-other"));
writeFileSync(join(folder, "site-other", "secret.txt"), "secret");
const { server, port } = await serve({ site, port: 0 });
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Sends the path as it is; fetch would tidy it. */
function get(path, method = "GET") {
  return new Promise((resolve, reject) => {
    request({ port, path, method }, (response) => {
      let body = "";
      response.on("data", (data) => (body += data));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .on("error", reject)
      .end();
  });
}

test("the page and its parts have the types that browsers insist on", async () => {
  const types = {
    "/": "text/html; charset=utf-8",
    "/index.html?example=1": "text/html; charset=utf-8",
    "/assets/prism.wasm": "application/wasm",
    "/assets/prism.mjs": "text/javascript; charset=utf-8",
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await get(path);
    assert.equal(status, 200, path);
    assert.equal(headers["content-type"], type, path);
  }
});

test("no header that a plain static host would not send", async () => {
  const { headers } = await get("/");
  for (const name of ["cross-origin-opener-policy", "cross-origin-embedder-policy"])
    assert.equal(headers[name], undefined);
});

test("nothing outside the site is served", async () => {
  const paths = [
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/%2e%2e%2fsite-other/secret.txt",
    "/../site-other/secret.txt",
    "/%",
    "/index.html%00.txt",
    "//etc/passwd",
    "http://localhost/../secret.txt",
    "/missing.html",
    "/assets",
    "/assets/",
  ];
  for (const path of paths) {
    const { status, body } = await get(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /secret|root:/, path);
  }
});

test("only reading is allowed, and HEAD has no body", async () => {
  assert.equal((await get("/", "POST")).status, 405);
  const head = await get("/", "HEAD");
  assert.equal(head.headers["content-length"], "15");
  assert.equal(head.body, "");
});
