import { askAhead } from '../../../app/ahead';
import { type FrameFacts, FrameSet } from './frame-set';
import { mediaPath } from './media-path';

interface JobFacts {
  readonly dimension: string;
  readonly data_compressed_chunk_type: string;
}

/**
 * Asks for what the page of a job shows first, down to the chunk of its first frame, then for its annotations. The
 * addresses are those that the page asks for.
 * @param wanted number of the frame, as the address has it; null for the job's first
 */
export async function askJobAhead(jobId: number, wanted: string | null): Promise<void> {
  const [job, meta] = await Promise.all(
    [`/api/jobs/${jobId}`, `/api/jobs/${jobId}/data/meta`].map(async (path) => read(await askAhead(path))),
  );
  const { dimension, data_compressed_chunk_type: type } = job as JobFacts;
  if (dimension === '3d' || type === 'video') return;
  const frames = new FrameSet({ job, meta } as FrameFacts);
  if (frames.count === 0) return;
  const frame = frames.nearest(wanted === null ? frames.first : Number(wanted));
  const index = Math.floor(frames.position(frame) / frames.chunkSize);
  await askAhead(mediaPath(jobId, { type: 'chunk', index, quality: 'compressed' }), { accept: '*/*' });
  void askAhead(`/api/labels?page_size=100&job_id=${jobId}&page=1`);
  void askAhead(`/api/jobs/${jobId}/annotations/`);
}

/** @throws Error for what was refused, of which the page will tell, and for what the page asks for itself */
async function read(response: Response | undefined): Promise<unknown> {
  if (response?.ok !== true) throw new Error('There is nothing to be had ahead.');
  return response.clone().json();
}
