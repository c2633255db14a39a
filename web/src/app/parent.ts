// SPDX-License-Identifier: Apache-2.0
// The page around an embedded one. It says hello at the load event, when the embedded page's own script may still be on
// its way: the script that comes first imports this, so that no hello is missed.
let greeted: string | null = null;
let tell: (origin: string) => void = () => {};

addEventListener("message", (event: MessageEvent) => {
  // An origin without a name cannot be answered to it alone.
  if (parent === window || event.source !== parent || event.origin === "null") return;
  if ((event.data as { prism?: unknown } | null)?.prism !== "hello") return;
  greeted = event.origin;
  tell(greeted);
});

/** Tells the origin that said hello, also where it has done so already; ends with the function returned. */
export function onHello(listener: (origin: string) => void): () => void {
  tell = listener;
  if (greeted !== null) tell(greeted);
  return () => {
    tell = () => {};
  };
}
