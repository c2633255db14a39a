// SPDX-License-Identifier: Apache-2.0
import { type FunctionComponent, render } from "preact";
import type { Pool } from "../engine/pool";
import { App } from "./app";
import { browser, stored } from "./browser";
import { AppContext } from "./context";
import { Controller } from "./controller";
import { firstExample } from "./examples";

export function mount(engine: Pool) {
  const embedded = new URLSearchParams(location.search).has("embed");
  const app = new Controller(engine, embedded ? browser : { ...browser, ...stored });
  void app.start(firstExample);
  addEventListener("hashchange", () => app.openFragment());

  const show = (View: FunctionComponent) => {
    const view = (
      <AppContext.Provider value={app}>
        <View />
      </AppContext.Provider>
    );
    render(view, document.getElementById("app")!);
  };
  if (embedded) void import("./embed").then(({ Embedded }) => show(Embedded));
  else show(App);
}
