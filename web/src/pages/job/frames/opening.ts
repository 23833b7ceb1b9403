import { FrameSet } from './frame-set';
import { FrameLoader, type Quality } from './frame-loader';
import type { JobFacts } from './ahead';
import { jobSource } from './job-source';

export type ImageLoader = FrameLoader<ImageBitmap>;

/** @returns a loader for the frames of a job in a quality */
export function newLoader(
  job: Pick<JobFacts['job'], 'id' | 'data_compressed_chunk_type' | 'data_original_chunk_type'>,
  frames: FrameSet,
  quality: Quality,
): ImageLoader {
  const type = quality === 'compressed' ? job.data_compressed_chunk_type : job.data_original_chunk_type;
  return new FrameLoader(jobSource(job.id), frames, quality, { byChunk: type !== 'video' });
}

/** Job whose page loads frames already. */
let begun: number | undefined;
let ahead: { readonly jobId: number; readonly loader: ImageLoader } | undefined;

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
  if (job.dimension === '3d' || begun === job.id) return undefined;
  const frames = new FrameSet(facts);
  if (frames.count === 0) return undefined;
  ahead?.loader.close();
  const loader = newLoader(job, frames, 'compressed');
  ahead = { jobId: job.id, loader };
  const number = wanted === null ? frames.first : frames.nearest(Number(wanted));
  return { number, image: await loader.bitmap(number), size: frames.info(number) };
}

/** The loader that was started early, until the page takes it. */
export const loaderAhead = (jobId: number, quality: Quality): ImageLoader | undefined =>
  ahead?.jobId === jobId && quality === 'compressed' ? ahead.loader : undefined;

/** @returns the loader that was started early, once */
export function takeAhead(jobId: number, quality: Quality): ImageLoader | undefined {
  begun = jobId;
  const loader = loaderAhead(jobId, quality);
  if (loader !== undefined) ahead = undefined;
  return loader;
}
