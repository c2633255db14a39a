// SPDX-License-Identifier: Apache-2.0
// A drawing as wide as its place, drawn again when the place or the data changes.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Drawing } from "../charts/charts";

export function Picture({ name, draw, of }: { name: string; draw: (width: number) => Drawing; of: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width >= 120) place.current?.replaceChildren(draw(width));
  }, [width, of]);
  return (
    <div class="chart">
      <div ref={place} role="img" aria-label={name} />
    </div>
  );
}
