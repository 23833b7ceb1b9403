import { FrameSet } from './frame-set';
import { FrameLoader, type Quality } from './frame-loader';
import type { JobFacts } from './ahead';
import { isPointCloud } from '../point-cloud/point-cloud';
import { type FrameMedium, jobSource } from './job-source';

export type MediumLoader = FrameLoader<FrameMedium>;

/** Cache limit for decoded point clouds, in points of at most 20 bytes. */
const MAX_POINTS = 8_000_000;

/** @returns a loader for the frames of a job in a quality */
export function newLoader(
  job: Pick<JobFacts['job'], 'id' | 'dimension' | 'data_compressed_chunk_type' | 'data_original_chunk_type'>,
  frames: FrameSet,
  quality: Quality,
): MediumLoader {
  const type = quality === 'compressed' ? job.data_compressed_chunk_type : job.data_original_chunk_type;
  const limit = job.dimension === '3d' ? { maxPixels: MAX_POINTS } : {};
  return new FrameLoader(jobSource(job.id, job.dimension, type === 'video'), frames, quality, limit);
}

/** Job whose page loads frames already. */
let begun: number | undefined;
let ahead: { readonly jobId: number; readonly loader: MediumLoader } | undefined;

/** A frame that was loaded before its page was rendered. */
export interface FirstFrame {
  readonly number: number;
  readonly image: ImageBitmap;
  /** In pixels of the original frame, the unit of annotations. */
  readonly size: { readonly width: number; readonly height: number };
}

/**
 * Starts to load the frames of a job before its page is rendered.
 * @param wanted number of the frame in the URL, or null for the first frame of the job
 * @returns undefined if there is nothing to show or the page was faster
 */
export async function loadAhead(facts: JobFacts, wanted: string | null): Promise<FirstFrame | undefined> {
  const { job } = facts;
  if (begun === job.id) return undefined;
  const frames = new FrameSet(facts);
  if (frames.count === 0) return undefined;
  ahead?.loader.close();
  const loader = newLoader(job, frames, 'compressed');
  ahead = { jobId: job.id, loader };
  const number = wanted === null ? frames.first : frames.nearest(Number(wanted));
  const image = await loader.bitmap(number);
  return isPointCloud(image) ? undefined : { number, image, size: frames.info(number) };
}

/** The loader that was started early, until the page takes it. */
export const loaderAhead = (jobId: number, quality: Quality): MediumLoader | undefined =>
  ahead?.jobId === jobId && quality === 'compressed' ? ahead.loader : undefined;

/** @returns the loader that was started early, once */
export function takeAhead(jobId: number, quality: Quality): MediumLoader | undefined {
  begun = jobId;
  const loader = loaderAhead(jobId, quality);
  if (loader !== undefined) ahead = undefined;
  return loader;
}
