// SPDX-License-Identifier: Apache-2.0
// The studies are a file of their own, asked for when one is wanted.
import { useState } from "preact/hooks";

type View = typeof import("../panels/planning").AllStudies;

export function Studies() {
  const [view, setView] = useState<View | null>(null);
  const [fault, setFault] = useState("");
  const AllStudies = view;
  if (AllStudies) return <AllStudies />;
  return (
    <section class="card wide">
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
            import("../panels/planning").then(
              (module) => setView(() => module.AllStudies),
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
