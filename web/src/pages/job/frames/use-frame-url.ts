import { useEffect, useRef } from 'react';
import { currentParameters, withParameter } from '../data/modes';

/** Browsers ignore changes of the URL that follow each other too quickly, as when a key is held. */
const PAUSE_MS = 100;

/**
 * Keeps the frame in the URL, so that a reload stays on it and users can share a link to it. The router is not told, because
 * it would render the page again for every frame.
 */
export function useFrameUrl(frame: number, isPlaying: boolean): void {
  const written = useRef(-Infinity);
  useEffect(() => {
    if (isPlaying) return undefined;
    const write = (): void => {
      written.current = performance.now();
      const search = withParameter(currentParameters(), 'frame', String(frame));
      window.history.replaceState(window.history.state, '', `?${search.toString()}${window.location.hash}`);
    };
    const wait = written.current + PAUSE_MS - performance.now();
    if (wait <= 0) return write();
    const timer = setTimeout(write, wait);
    return () => clearTimeout(timer);
  }, [frame, isPlaying]);
}
