import { type RefObject, useEffect, useState } from 'react';

/** Rows that are rendered beyond each edge of the visible area. */
const BEYOND = 10;

/**
 * Determines the visible rows of a scrolled list with a fixed row height, so that only those are rendered.
 * @param rowHeight in pixels
 * @returns index of the first visible row, and of the row after the last
 */
export function useRowsInSight(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): { readonly first: number; readonly end: number } {
  const [sight, setSight] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => setSight({ top: element.scrollTop, height: element.clientHeight });
    const resizing = new ResizeObserver(look);
    resizing.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      resizing.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  const first = Math.max(0, Math.min(Math.floor(sight.top / rowHeight), count) - BEYOND);
  return { first, end: Math.min(count, Math.ceil((sight.top + sight.height) / rowHeight) + BEYOND) };
}
