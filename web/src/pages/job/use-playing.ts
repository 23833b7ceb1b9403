import { type Dispatch, useEffect, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Stage } from './canvas/stage';
import type { Review, Step } from './data/review';
import type { FrameSet } from './frames/frame-set';
import type { MediumLoader } from './frames/opening';
import { Playback } from './frames/playback';
import type { ImageState } from './frames/use-frame-image';

/** How long a frame may be late before the page shows that it is being loaded. */
const PATIENCE_MS = 250;

interface Playing {
  readonly review: Review;
  readonly frames: FrameSet;
  readonly loader: MediumLoader | null;
  readonly image: ImageState;
  readonly stage: Stage | null;
  readonly step: Dispatch<Step>;
}

/** Plays the frames at the rate of the clip, times the speed. Pauses when the page is hidden. */
export function usePlaying({ review, frames, loader, image, stage, step }: Playing): void {
  const { isPlaying, speed, frame: wanted } = review;
  const { show } = image;
  const shown = image.shown?.frame;
  const current = useRef({ wanted, shown });
  useLayoutEffect(() => {
    current.current = { wanted, shown };
  }, [wanted, shown]);
  useEffect(() => {
    if (!isPlaying || loader === null || stage === null) return;
    const playback = new Playback({ frames: frames.stops, rate: frames.rate * speed, images: loader });
    const play = (now: number): void => {
      const { wanted: frame, shown: visible } = current.current;
      if (visible !== frame) return; // it is being loaded
      // Playback starts, or the user has gone elsewhere.
      if (playback.frame !== frame) playback.start(frame, now);
      playback.prepare(now);
      if (playback.hasEnded) return step({ do: 'play', on: false });
      if (stage.isChanging === true) return;
      const next = playback.next(now) ?? (playback.delay(now) > PATIENCE_MS ? playback.following : undefined);
      if (next === undefined) return;
      // Rendered at once: a later rendering could show this frame after the next one.
      flushSync(() => {
        show(next);
        step({ do: 'go', to: next });
      });
    };
    stage.setPlaying?.(true);
    let request = requestAnimationFrame(function tick(now) {
      request = requestAnimationFrame(tick);
      play(now);
    });
    return () => {
      stage.setPlaying?.(false);
      cancelAnimationFrame(request);
    };
  }, [isPlaying, speed, frames, loader, stage, show, step]);
  useEffect(() => {
    if (!isPlaying) return;
    const onChange = (): void => {
      if (document.hidden) step({ do: 'play', on: false });
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [isPlaying, step]);
}
