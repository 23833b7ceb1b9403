import { requestAhead } from '../../../app/ahead';
import { type FrameFacts, FrameSet } from './frame-set';
import { mediaPath } from './media-path';

type EarlyResponse = ReturnType<typeof requestAhead>;

/** The job and its metadata, which the first frame depends on, as the API returns them. */
export interface JobFacts extends FrameFacts {
  readonly job: FrameFacts['job'] & {
    readonly id: number;
    readonly dimension: string;
    readonly data_compressed_chunk_type: string | null;
    readonly data_original_chunk_type: string | null;
  };
}

/**
 * Requests the job, the chunk of its first frame and its annotations before the page is rendered. The URLs are the
 * same as those that the page requests.
 * @param wanted number of the frame in the URL, or null for the first frame of the job
 * @throws Error if a request fails. The page shows the error.
 */
export async function requestJobAhead(jobId: number, wanted: string | null): Promise<JobFacts> {
  const facts = Promise.all(
    [`/api/jobs/${jobId}`, `/api/jobs/${jobId}/data/meta`].map(async (path) => read(await requestAhead(path))),
  );
  const first = wanted === null ? requestChunk(jobId, 0) : undefined;
  const [job, meta] = await facts;
  const known = { job, meta } as JobFacts;
  void requestRest(known, wanted, first).catch(() => undefined);
  return known;
}

/**
 * Requests the chunk, unless it is requested already, then the annotations.
 * @param first response with the chunk of the job's first frame
 */
async function requestRest({ job, meta }: JobFacts, wanted: string | null, first: EarlyResponse): Promise<void> {
  const frames = new FrameSet({ job, meta });
  if (!isShownByChunk(job) || frames.count === 0) {
    await (await first)?.body?.cancel();
    return;
  }
  const position = frames.position(frames.nearest(Number(wanted)));
  await (first ?? requestChunk(job.id, Math.floor(position / frames.chunkSize)));
  void requestAhead(`/api/labels?page_size=100&job_id=${job.id}&page=1`, { organization: null });
  void requestAhead(`/api/jobs/${job.id}/annotations/`, { organization: null });
}

/** Not every browser can decode chunks of videos. */
const isShownByChunk = (job: JobFacts['job']): boolean =>
  job.data_compressed_chunk_type !== 'video' ||
  'VideoDecoder' in globalThis ||
  'requestVideoFrameCallback' in HTMLVideoElement.prototype;

const requestChunk = (jobId: number, index: number): EarlyResponse =>
  requestAhead(mediaPath(jobId, { type: 'chunk', index, quality: 'compressed' }), { accept: '*/*' });

async function read(response: Response | undefined): Promise<unknown> {
  if (response?.ok !== true) throw new Error('The early request failed.');
  return response.clone().json();
}
