// SPDX-License-Identifier: Apache-2.0
// A panel that is a file of its own, asked for when it is wanted.
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";

interface LaterProps {
  title: string;
  about: string;
  button: string;
  load: () => Promise<ComponentType>;
}

export function Later({ title, about, button, load }: LaterProps) {
  const [view, setView] = useState<ComponentType | null>(null);
  const [fault, setFault] = useState("");
  const View = view;
  if (View) return <View />;
  return (
    <section class="card wide">
      <header>
        <h2>{title}</h2>
      </header>
      <p class="reading">{about}</p>
      <p>
        <button
          type="button"
          class="small"
          onClick={() =>
            load().then(
              (loaded) => setView(() => loaded),
              (error) => setFault(String(error)),
            )
          }
        >
          {button}
        </button>
      </p>
      {fault && <p role="alert">It could not be fetched: {fault}</p>}
    </section>
  );
}

export const Studies = () => (
  <Later
    title="Studies"
    about="Many variants of this scenario on the same noise: what sets the tail, where a slow node hurts, how it scales, which layout is best at p95."
    button="Open the studies"
    load={() => import("../panels/planning").then((m) => m.AllStudies)}
  />
);

export const TimelinePlace = () => (
  <Later
    title="One step, drawn"
    about="A median step and one at p95, chunk by chunk: what each pipeline rank did, what it waited for, and the path that decided."
    button="Draw the timeline"
    load={() => import("../panels/timeline").then((m) => m.TimelinePanel)}
  />
);
