// SPDX-License-Identifier: Apache-2.0
// A drawing as wide as its place, drawn again when the place or the data changes.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Drawing } from "../charts/charts";
import { useWidth } from "../ui/use-width";

export function Picture({ name, draw, of }: { name: string; draw: (width: number) => Drawing; of: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  useLayoutEffect(() => {
    if (width >= 120) place.current?.replaceChildren(draw(width));
  }, [width, of]);
  return (
    <div class="chart">
      <div ref={place} role="img" aria-label={name} />
    </div>
  );
}
