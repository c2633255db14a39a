// SPDX-License-Identifier: Apache-2.0
// The faults of the text: one line each, with its place, which is a button that goes there.
import type { Diagnostic } from "../base/result";
import { sentence } from "../base/sentences";
import { RemedyButtons } from "./remedy-buttons";

export function Errors({ errors, onGo }: { errors: Diagnostic[]; onGo?: (error: Diagnostic) => void }) {
  if (errors.length === 0) return null;
  return (
    <section class="notice error" aria-label="Errors in the scenario">
      <h2>{errors.length === 1 ? "One error in the scenario" : `${errors.length} errors in the scenario`}</h2>
      <ul>
        {errors.map((error, i) => (
          <li key={i}>
            {onGo && error.line > 0 && (
              <button type="button" class="link" onClick={() => onGo(error)}>
                Line {error.line}:{error.column}
                {error.pointer && <code> {error.pointer}</code>}
              </button>
            )}
            <span>{error.message}</span>
            {error.hint && <span class="hint">{sentence(error.hint)}</span>}
            {onGo && <RemedyButtons fault={error} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
