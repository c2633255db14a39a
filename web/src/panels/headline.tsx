// SPDX-License-Identifier: Apache-2.0
// One figure of a row of figures, in a <dl class="headlines">.
import type { ComponentChildren } from "preact";

export function Headline({ name, value, note }: { name: string; value: ComponentChildren; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="note">{note}</dd>
    </div>
  );
}
