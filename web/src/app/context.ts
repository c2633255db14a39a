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

/** The same, after what the change has put on the page at once is painted: for what may follow. */
export function useLater<T>(select: (state: State) => T): T {
  const app = useController();
  const [part, setPart] = useState(() => select(app.state));
  useEffect(() => {
    let known: T | undefined;
    let stop: (() => void) | undefined;
    const update = () => {
      stop = undefined;
      known = select(app.state);
      setPart(() => select(app.state));
    };
    update();
    const unsubscribe = app.subscribe(() => {
      if (select(app.state) !== known) stop ??= afterPaint(update);
    });
    return () => {
      unsubscribe();
      stop?.();
    };
  }, [app]);
  return part;
}

/** Nothing is painted in a window that is not seen: then it comes all the same. */
const longest_frame_ms = 100;

function afterPaint(go: () => void): () => void {
  const end = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(go);
  });
  let timer = setTimeout(() => {
    end();
    go();
  }, longest_frame_ms);
  return end;
}
