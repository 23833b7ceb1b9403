import { useCallback, useEffect, useState } from 'react';
import type { Job } from '../../../app/api';
import { FrameLoader, type Quality } from './frame-loader';
import type { FrameSet } from './frame-set';
import { jobSource } from './job-source';

export type PictureLoader = FrameLoader<ImageBitmap>;

/** Loads the frames of a job; a new loader for each quality. Null for a moment, while it is made. */
export function useLoader(job: Job, frames: FrameSet, quality: Quality): PictureLoader | null {
  const [loader, setLoader] = useState<PictureLoader | null>(null);
  const { id } = job;
  const type = quality === 'compressed' ? job.data_compressed_chunk_type : job.data_original_chunk_type;
  useEffect(() => {
    const made = new FrameLoader(jobSource(id), frames, quality, { byChunk: type !== 'video' });
    setLoader(made);
    return () => made.close();
  }, [id, frames, quality, type]);
  return loader;
}

export interface ShownPicture {
  /** The frame that the picture is of. While another one is loading it is still the former. */
  readonly frame: number;
  readonly picture: ImageBitmap;
}

export interface PictureState {
  readonly shown: ShownPicture | null;
  /** Why the frame that is asked for cannot be shown. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly retry: () => void;
}

/** The picture of a frame, and what is loaded besides. */
export function usePicture(
  loader: PictureLoader | null,
  frame: number,
  reading: { readonly position: number; readonly direction: 1 | -1; readonly isPlaying: boolean },
): PictureState {
  const [shown, setShown] = useState<(ShownPicture & { readonly loader: PictureLoader }) | null>(null);
  const [failure, setFailure] = useState<{ readonly frame: number; readonly error: unknown } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { position, direction, isPlaying } = reading;
  useEffect(() => {
    if (loader === null) return;
    let isCurrent = true;
    setFailure(null);
    loader.lookAhead({ position, direction, isPlaying });
    loader.picture(frame).then(
      (picture) => {
        if (!isCurrent) return;
        setShown({ frame, picture, loader });
        // Now that its chunk is there, what comes next can be decoded.
        loader.lookAhead({ position, direction, isPlaying });
      },
      (error: unknown) => isCurrent && setFailure({ frame, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [loader, frame, position, direction, isPlaying, attempt]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const error = failure?.frame === frame ? failure.error : null;
  const isLoading = error === null && (shown?.frame !== frame || shown.loader !== loader);
  return { shown, error, isLoading, retry };
}
