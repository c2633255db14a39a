// SPDX-License-Identifier: Apache-2.0
// The studies are a file of their own, asked for when one is wanted.
import { useState } from "preact/hooks";

type View = typeof import("../panels/studies").StudyPanels;

export function Studies() {
  const [view, setView] = useState<View | null>(null);
  const [fault, setFault] = useState("");
  const StudyPanels = view;
  if (StudyPanels) return <StudyPanels />;
  return (
    <section class="card">
      <header>
        <h2>Studies</h2>
      </header>
      <p class="reading">
        Many variants of this scenario on the same noise: what sets the tail, where a slow node hurts, how it
        scales, which layout is best at p95.
      </p>
      <p>
        <button
          type="button"
          class="small"
          onClick={() =>
            import("../panels/studies").then(
              (module) => setView(() => module.StudyPanels),
              (error) => setFault(String(error)),
            )
          }
        >
          Open the studies
        </button>
      </p>
      {fault && <p role="alert">The studies could not be fetched: {fault}</p>}
    </section>
  );
}
