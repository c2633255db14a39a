// SPDX-License-Identifier: Apache-2.0
// Before first paint. A file, for the content policy.
const parameters = new URLSearchParams(location.search);

/** `?reset`: forgets all that this page keeps in the browser, offline copies included, then shows it afresh. */
async function reset() {
  const folder = new URL(".", location.href).href;
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith("prism.")) storage.removeItem(key);
  } catch {
    // No storage: nothing to forget.
  }
  for (const registration of (await navigator.serviceWorker?.getRegistrations()) ?? [])
    if (registration.scope === folder) await registration.unregister();
  for (const name of (await globalThis.caches?.keys()) ?? [])
    if (name.startsWith(`prism ${folder} `)) await caches.delete(name);
  location.replace(location.pathname + location.hash);
}
if (parameters.has("reset")) void reset();

// So that a chosen theme never flashes the other one. In another page's frame that page chooses.
try {
  const theme = parameters.has("embed") ? parameters.get("theme") : localStorage.getItem("prism.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
