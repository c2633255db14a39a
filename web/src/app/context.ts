// SPDX-License-Identifier: Apache-2.0
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Controller } from "./controller";
import type { State } from "./state";

export const AppContext = createContext<Controller | null>(null);

export function useController(): Controller {
  const app = useContext(AppContext);
  if (!app) throw new Error("no controller");
  return app;
}

/**
 * A part of the state. The component renders again only when that part is another value: a run reports progress
 * dozens of times a second, and the page shares its cores with the workers. `select` must not depend on the component's
 * properties: the first one given is kept.
 */
export function useSelect<T>(select: (state: State) => T): T {
  const app = useController();
  const [part, setPart] = useState(() => select(app.state));
  useEffect(() => {
    // A function inside setState would be called, and a part is never a function; the updater form keeps T free.
    const update = () => setPart(() => select(app.state));
    update();
    return app.subscribe(update);
  }, [app]);
  return part;
}
