// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./style/page.css";
import { App } from "./app/app";
import { browser, stored } from "./app/browser";
import { AppContext } from "./app/context";
import { Controller } from "./app/controller";
import { Embedded } from "./app/embed";
import { firstExample } from "./app/examples";
import { startEngine } from "./engine/start";

const embedded = new URLSearchParams(location.search).has("embed");
const app = new Controller(startEngine(), embedded ? browser : { ...browser, draft: stored });
app.start(firstExample);
addEventListener("hashchange", () => app.openFragment());

const place = document.getElementById("app");
if (place) {
  render(<AppContext.Provider value={app}>{embedded ? <Embedded /> : <App />}</AppContext.Provider>, place);
}
