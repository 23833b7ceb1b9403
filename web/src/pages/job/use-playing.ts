import { useEffect, useRef } from 'react';
import type { Review, Step } from './data/review';

/** Frames a second while playing, if they come so fast. */
const RATE = 20;

/** Goes on to the next frame once the present one was shown long enough: no frame is left out. */
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
