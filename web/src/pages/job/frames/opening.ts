import { queryClient } from '../../../app/query-client';
import type { Job } from '../../../app/api';
import { jobQuery, metaQuery } from '../data/job-queries';
import { FrameLoader, type Quality } from './frame-loader';
import { FrameSet } from './frame-set';
import { jobSource } from './job-source';

export type PictureLoader = FrameLoader<ImageBitmap>;

/** @returns what loads the frames of a job in a quality */
export function newLoader(job: Job, frames: FrameSet, quality: Quality): PictureLoader {
  const type = quality === 'compressed' ? job.data_compressed_chunk_type : job.data_original_chunk_type;
  return new FrameLoader(jobSource(job.id), frames, quality, { byChunk: type !== 'video' });
}

/** Job whose page has begun to load frames by itself. */
let begun: number | undefined;
let ahead: { readonly jobId: number; readonly loader: PictureLoader } | undefined;

/**
 * Begins with all that the page of a job shows first, down to the picture of its first frame, while the page itself is
 * still being made.
 * @param wanted number of the frame, as the address has it; null for the job's first
 */
export async function openAhead(jobId: number, wanted: string | null): Promise<void> {
  const [job, meta] = await Promise.all([
    queryClient.fetchQuery(jobQuery(jobId)),
    queryClient.fetchQuery(metaQuery(jobId)),
  ]);
  if (job.dimension === '3d' || begun === jobId) return;
  const frames = new FrameSet({ job, meta });
  if (frames.count === 0) return;
  ahead?.loader.close();
  const loader = newLoader(job, frames, 'compressed');
  ahead = { jobId, loader };
  const frame = frames.nearest(wanted === null ? frames.first : Number(wanted));
  await loader.picture(frame);
}

/** The loader that has begun already, for the first who asks. */
export function takeAhead(jobId: number, quality: Quality): PictureLoader | undefined {
  begun = jobId;
  if (ahead?.jobId !== jobId || quality !== 'compressed') return undefined;
  const { loader } = ahead;
  ahead = undefined;
  return loader;
}
