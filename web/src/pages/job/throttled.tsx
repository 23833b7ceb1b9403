import { type ReactNode, useEffect, useState } from 'react';

/** Interval between two renderings while frames are played. */
const PAUSE_MS = 150;

interface ThrottledProps {
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly children: ReactNode;
}

/**
 * Renders its children at once, except for most of the frames that are played: nobody can read lists and numbers that
 * change 25 times per second, and rendering them would slow the frames down.
 */
export function Throttled({ frame, isPlaying, children }: ThrottledProps): ReactNode {
  const [last, setLast] = useState({ frame, latest: children, shown: children, at: 0 });
  if (last.latest !== children) {
    const now = performance.now();
    const isDue = !isPlaying || frame === last.frame || now - last.at >= PAUSE_MS;
    const latest = { frame, latest: children };
    setLast(isDue ? { ...latest, shown: children, at: now } : { ...last, ...latest });
  }
  const isBehind = last.latest !== last.shown;
  useEffect(() => {
    if (!isBehind) return;
    const timer = setTimeout(
      () => setLast((before) => ({ ...before, shown: before.latest, at: performance.now() })),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [isBehind]);
  return last.shown;
}
