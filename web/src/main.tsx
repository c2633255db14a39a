// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./style/page.css";
import { App } from "./app/app";
import { browser } from "./app/browser";
import { AppContext } from "./app/context";
import { Controller } from "./app/controller";
import { firstExample } from "./app/examples";
import { startEngine } from "./engine/start";

const app = new Controller(startEngine(), browser);
app.start(firstExample);
addEventListener("hashchange", () => app.openFragment());

const place = document.getElementById("app");
if (place) {
  render(
    <AppContext.Provider value={app}>
      <App />
    </AppContext.Provider>,
    place,
  );
}
