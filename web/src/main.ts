// SPDX-License-Identifier: Apache-2.0
// The engine before everything else: its workers start and its module compiles while the page's script is still read.
// This script is asynchronous, so the page itself may not be there yet.
import "./style/page.css";
import "./app/parent";
import { startEngine } from "./engine/start";

const engine = startEngine();
const parsed = new Promise<void>((done) => {
  if (document.readyState !== "loading") done();
  else addEventListener("DOMContentLoaded", () => done());
});
void Promise.all([import("./app/mount"), parsed]).then(([{ mount }]) => mount(engine));
