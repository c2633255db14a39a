// SPDX-License-Identifier: Apache-2.0
// Serves build/site as any static host would: right types, no special headers. Builds nothing.
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { fail, isMain, root } from "./shell.mjs";

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The file for a request's path, inside `site`; undefined when there is none. */
export function fileFor(site, url) {
  let path;
  try {
    path = decodeURIComponent(url.split(/[?#]/, 1)[0]);
  } catch {
    return undefined;
  }
  if (!path.startsWith("/") || path.includes("\0")) return undefined;
  const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
  if (!file.startsWith(site + sep)) return undefined;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file, size: stat.size } : undefined;
}

/** Starts the server; port 0 takes any free one. Resolves once it listens. `packed` compresses, as most hosts do. */
export function serve({
  site = join(root, "build", "site"),
  port = Number(process.env.PORT ?? 8080),
  packed = false,
} = {}) {
  const made = new Map();
  const gzip = (file) => {
    if (!made.has(file)) made.set(file, gzipSync(readFileSync(file)));
    return made.get(file);
  };
  const server = createServer((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    const found = fileFor(site, request.url ?? "/");
    if (found === undefined) {
      response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Not found\n");
      return;
    }
    if (packed) {
      const body = gzip(found.file);
      response.writeHead(200, {
        "Content-Type": types[extname(found.file)] ?? "application/octet-stream",
        "Content-Encoding": "gzip",
        "Content-Length": body.length,
        "Cache-Control": "no-cache",
      });
      response.end(body);
      return;
    }
    response.writeHead(200, {
      "Content-Type": types[extname(found.file)] ?? "application/octet-stream",
      "Content-Length": found.size,
      // A rebuilt page must not meet its old parts.
      "Cache-Control": "no-cache",
    });
    if (request.method === "HEAD") response.end();
    else
      createReadStream(found.file)
        .on("error", () => response.destroy())
        .pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve({ server, port: server.address().port }));
  });
}

export async function serveSite() {
  const site = join(root, "build", "site");
  if (fileFor(site, "/") === undefined) fail("There is no page in build/site yet. Run: npm run build");
  try {
    const { port } = await serve({ site });
    console.log(`\nPrism is at http://localhost:${port}  (Ctrl+C ends it)`);
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    fail(`Port ${error.port} is taken. Choose another: PORT=8081 npm run serve`);
  }
}

if (isMain(import.meta.url)) await serveSite();
