// SPDX-License-Identifier: Apache-2.0
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Controller } from "./controller";
import type { State } from "./state";

export const AppContext = createContext<Controller | null>(null);

/** The controller, and the state as of this render. */
export function useApp(): [Controller, State] {
  const app = useContext(AppContext);
  if (!app) throw new Error("no controller");
  const [state, setState] = useState(app.state);
  useEffect(() => {
    setState(app.state);
    return app.subscribe(() => setState(app.state));
  }, [app]);
  return [app, state];
}
