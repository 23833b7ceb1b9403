import { type Dispatch, useEffect } from 'react';
import type { Job } from '../../app/api';
import { lastFrames } from '../../app/last-frames';
import type { Stage } from './canvas/stage';
import type { Review, Step } from './data/review';
import type { FrameSet } from './frames/frame-set';
import type { MediumLoader } from './frames/opening';
import { type ImageState, useFrameImage, useLoader } from './frames/use-frame-image';
import { useFrameUrl } from './frames/use-frame-url';
import { usePlaying } from './use-playing';

interface Context {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly review: Review;
  readonly stage: Stage | null;
  readonly step: Dispatch<Step>;
}

/** Loads the current frame, plays the frames, and keeps the frame in the URL. */
export function usePlayedFrame({ job, frames, review, stage, step }: Context): {
  readonly loader: MediumLoader | null;
  readonly image: ImageState;
} {
  const { frame, direction, isPlaying } = review;
  const loader = useLoader(job, frames, review.quality);
  const position = frames.position(frame);
  const playedRate = isPlaying ? frames.rate * review.speed : 0;
  const image = useFrameImage(loader, frame, { position, direction, playedRate });
  usePlaying({ review, frames, loader, image, stage, step });
  useFrameUrl(frame, isPlaying);
  useEffect(() => {
    if (!isPlaying) lastFrames.set(job.id, frame);
  }, [frame, isPlaying, job.id]);
  return { loader, image };
}
