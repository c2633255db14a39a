// SPDX-License-Identifier: Apache-2.0
// The engine before everything else: its workers start and its module compiles while the page's script is still read.
// This script is asynchronous, so the page itself may not be there yet.
import "./style/page.css";
import "./app/parent";
import { startEngine } from "./engine/start";

const module_wait_ms = 50;

const engine = startEngine();
const parsed = new Promise<void>((done) => {
  if (document.readyState !== "loading") done();
  else addEventListener("DOMContentLoaded", () => done());
});

/** The module goes to the workers before the first view is built, which would hold it up, unless it is still on its way. */
async function show() {
  const [{ mount }] = await Promise.all([import("./app/mount"), parsed]);
  await Promise.race([engine.started, new Promise((done) => setTimeout(done, module_wait_ms))]);
  mount(engine);
}
void show();
