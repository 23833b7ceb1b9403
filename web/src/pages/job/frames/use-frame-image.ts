import { useCallback, useEffect, useRef, useState } from 'react';
import type { Job } from '../../../app/api';
import type { Quality } from './frame-loader';
import type { FrameSet } from './frame-set';
import type { FrameMedium } from './job-source';
import type { Reading } from './look-ahead';
import { loaderAhead, type MediumLoader, newLoader, takeAhead } from './opening';

/** @returns a loader for the frames of a job in a quality. Null during the first render, unless it was started early. */
export function useLoader(job: Job, frames: FrameSet, quality: Quality): MediumLoader | null {
  const [loader, setLoader] = useState<MediumLoader | null>(() => loaderAhead(job.id, quality) ?? null);
  // Only these values affect loading. A new state of the job, or a deleted frame, keeps the loader.
  const known = useRef({ job, frames });
  const { id, data_compressed_chunk_type: compressed, data_original_chunk_type: original } = job;
  useEffect(() => {
    known.current = { job, frames };
  }, [job, frames]);
  useEffect(() => {
    const next = takeAhead(id, quality) ?? newLoader(known.current.job, known.current.frames, quality);
    setLoader(next);
    return () => next.close();
  }, [id, quality, compressed, original]);
  return loader;
}

export interface ShownImage {
  /** The frame of the image. It stays the previous frame while the next one is loading. */
  readonly frame: number;
  readonly image: FrameMedium;
}

interface LoadedImage extends ShownImage {
  readonly loader: MediumLoader;
}

export interface ImageState {
  readonly shown: ShownImage | null;
  /** Why the requested frame cannot be shown. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly retry: () => void;
  /** Shows a frame at once, if its image is decoded. */
  readonly show: (frame: number) => void;
}

/** Loads the image of a frame and prefetches others. */
export function useFrameImage(
  loader: MediumLoader | null,
  frame: number,
  reading: Pick<Reading, 'position' | 'direction' | 'playedRate'>,
): ImageState {
  const [shown, setShown] = useState<LoadedImage | null>(() => {
    const image = loader?.ready(frame);
    return loader === null || image === undefined ? null : { frame, image, loader };
  });
  const [failure, setFailure] = useState<{ readonly frame: number; readonly error: unknown } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { position, direction, playedRate } = reading;
  // An image that is decoded already is shown in this rendering: another one would be late, and render the panels again.
  if (loader !== null && (shown?.frame !== frame || shown.loader !== loader)) {
    const image = loader.ready(frame);
    if (image !== undefined) setShown({ frame, image, loader });
  }
  useEffect(() => {
    if (loader === null) return;
    let isCurrent = true;
    setFailure(null);
    loader.lookAhead({ position, direction, playedRate });
    loader.bitmap(frame).then(
      (image) => {
        if (!isCurrent) return;
        setShown((before) => (before?.image === image && before.frame === frame ? before : { frame, image, loader }));
        // Its chunk is loaded now, so the next frames can be decoded.
        loader.lookAhead({ position, direction, playedRate });
      },
      (error: unknown) => isCurrent && setFailure({ frame, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [loader, frame, position, direction, playedRate, attempt]);
  const show = useCallback(
    (number: number) => {
      const image = loader?.ready(number);
      if (loader !== null && image !== undefined) setShown({ frame: number, image, loader });
    },
    [loader],
  );
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const error = failure?.frame === frame ? failure.error : null;
  const isLoading = error === null && (shown?.frame !== frame || shown.loader !== loader);
  return { shown, error, isLoading, retry, show };
}
