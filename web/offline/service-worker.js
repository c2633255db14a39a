// SPDX-License-Identifier: Apache-2.0
// Keeps the page for use without a network. One build is one cache: filled whole, each file compared with its hash,
// or not at all; and a window is answered from the set of one build only. The build writes `build` and `files`.
const build = "__BUILD__";
/** Path below the page's folder, SHA-256 in hex. */
const files = __FILES__;

// Other pages may live at the same origin.
const family = `prism ${registration.scope} `;
const own = family + build;

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The file's bytes and type, if they are this build's. */
async function fetched(url, hash) {
  // The browser's own cache may hold an older build's file of the same name.
  const response = await fetch(url, { cache: "no-cache" });
  const bytes = await response.arrayBuffer();
  if (!response.ok || (await sha256(bytes)) !== hash) throw new Error(`${url} is not of build ${build}`);
  // Made anew: a host may have redirected, and a redirected answer cannot stand for the page.
  return new Response(bytes, { headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } });
}

async function fill() {
  const cache = await caches.open(own);
  try {
    for (const [path, hash] of files) {
      const url = new URL(path, registration.scope).href;
      await cache.put(url, await fetched(url, hash));
    }
  } catch (error) {
    await caches.delete(own);
    throw error;
  }
}

/** The set before this one stays for windows that still show it; older ones go. */
async function tidy() {
  const names = (await caches.keys()).filter((name) => name.startsWith(family) && name !== own);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
  await clients.claim();
}

async function forget() {
  const names = (await caches.keys()).filter((name) => name.startsWith(family));
  await Promise.all(names.map((name) => caches.delete(name)));
  await registration.unregister();
}

async function answer(request) {
  const url = new URL(request.url);
  const page = request.mode === "navigate";
  // The way out of a broken build: nothing of it may answer.
  if (page && url.searchParams.has("reset")) {
    await forget();
    return fetch(request);
  }
  const cache = await caches.open(own);
  const asked = page ? new URL("index.html", registration.scope).href : request.url;
  // Names in assets/ hold their content's hash: an older window finds its own files in its own set.
  return (await cache.match(asked)) ?? (await caches.match(asked)) ?? fetch(request);
}

/** The page itself and what is below its folder; a folder that holds another page is not ours. */
function ours(request) {
  const { origin, pathname } = new URL(request.url);
  const scope = new URL(registration.scope);
  if (request.method !== "GET" || origin !== scope.origin || !pathname.startsWith(scope.pathname))
    return false;
  const path = pathname.slice(scope.pathname.length);
  return request.mode === "navigate"
    ? path === "" || path === "index.html"
    : path.startsWith("assets/") || files.some(([name]) => name === path);
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("message", (event) => event.data === "take over" && skipWaiting());
addEventListener("fetch", (event) => ours(event.request) && event.respondWith(answer(event.request)));
