// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element in whole pixels, now and whenever it changes; 0 before the first layout. */
export function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const follow = () => setWidth(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    follow();
    return () => observer.disconnect();
  }, []);
  return width;
}
