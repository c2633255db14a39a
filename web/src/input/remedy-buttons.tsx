// SPDX-License-Identifier: Apache-2.0
import { useController, useSelect } from "../app/context";
import type { Diagnostic } from "../base/result";
import { remediesOf } from "./remedies";

/** One button for each thing a fault says to write instead; each can be undone. */
export function RemedyButtons({ fault }: { fault: Diagnostic }) {
  const app = useController();
  const text = useSelect((s) => s.doc.text);
  const remedies = remediesOf(fault).filter(({ apply }) => apply(text) !== text);
  if (remedies.length === 0) return null;
  return (
    <span class="remedies">
      {remedies.map(({ label, apply }) => (
        <button
          key={label}
          type="button"
          class="small"
          onClick={() => app.edit(apply(text), `mending: ${label.toLowerCase()}`)}
        >
          {label}
        </button>
      ))}
    </span>
  );
}
