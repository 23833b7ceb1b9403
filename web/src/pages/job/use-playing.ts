import { useEffect, useRef } from 'react';
import type { Review, Step } from './data/review';

/** Maximum playback rate in frames per second. */
const RATE = 20;

/** Advances to the next frame after the current one has been shown long enough. It skips no frame. */
export function usePlaying({ isPlaying, frame }: Review, shown: number | null, step: (step: Step) => void): void {
  const since = useRef(0);
  useEffect(() => {
    since.current = performance.now();
  }, [shown]);
  useEffect(() => {
    if (!isPlaying || shown !== frame) return;
    const rest = Math.max(0, 1000 / RATE - (performance.now() - since.current));
    const timer = setTimeout(() => step({ do: 'step', by: 1 }), rest);
    return () => clearTimeout(timer);
  }, [isPlaying, frame, shown, step]);
}
