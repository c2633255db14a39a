// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import type { Pool } from "../engine/pool";
import { App } from "./app";
import { browser, stored } from "./browser";
import { AppContext } from "./context";
import { Controller } from "./controller";
import { Embedded } from "./embed";
import { firstExample } from "./examples";

export function mount(engine: Pool) {
  const embedded = new URLSearchParams(location.search).has("embed");
  const app = new Controller(engine, embedded ? browser : { ...browser, draft: stored });
  void app.start(firstExample);
  addEventListener("hashchange", () => app.openFragment());

  const place = document.getElementById("app");
  if (place) {
    render(<AppContext.Provider value={app}>{embedded ? <Embedded /> : <App />}</AppContext.Provider>, place);
  }
}
