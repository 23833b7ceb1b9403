import { askAhead } from '../../../app/ahead';
import { type FrameFacts, FrameSet } from './frame-set';
import { mediaPath } from './media-path';

type Answer = ReturnType<typeof askAhead>;

/** What the first frame of a job depends on: the job and its meta, as the API has them. */
export interface JobFacts extends FrameFacts {
  readonly job: FrameFacts['job'] & {
    readonly id: number;
    readonly dimension: string;
    readonly data_compressed_chunk_type: string | null;
    readonly data_original_chunk_type: string | null;
  };
}

/**
 * Asks for what the page of a job shows first, down to the chunk of its first frame, then for its annotations. The
 * addresses are those that the page asks for.
 * @param wanted number of the frame, as the address has it; null for the job's first, whose chunk needs no further facts
 * @throws Error for what was refused, of which the page will tell
 */
export async function askJobAhead(jobId: number, wanted: string | null): Promise<JobFacts> {
  const facts = Promise.all(
    [`/api/jobs/${jobId}`, `/api/jobs/${jobId}/data/meta`].map(async (path) => read(await askAhead(path))),
  );
  const first = wanted === null ? askChunk(jobId, 0) : undefined;
  const [job, meta] = await facts;
  const known = { job, meta } as JobFacts;
  void askRest(known, wanted, first).catch(() => undefined);
  return known;
}

/**
 * The chunk, where it is not on its way, then the annotations.
 * @param first answer with the chunk of the job's first frame
 */
async function askRest({ job, meta }: JobFacts, wanted: string | null, first: Answer): Promise<void> {
  const frames = new FrameSet({ job, meta });
  if (!isShownByChunk(job) || frames.count === 0) {
    await (await first)?.body?.cancel();
    return;
  }
  const position = frames.position(frames.nearest(Number(wanted)));
  await (first ?? askChunk(job.id, Math.floor(position / frames.chunkSize)));
  void askAhead(`/api/labels?page_size=100&job_id=${job.id}&page=1`, { organization: null });
  void askAhead(`/api/jobs/${job.id}/annotations/`);
}

/** Chunks of videos and of point clouds are nothing that the page shows. */
const isShownByChunk = (job: JobFacts['job']): boolean =>
  job.dimension !== '3d' && job.data_compressed_chunk_type !== 'video';

const askChunk = (jobId: number, index: number): Answer =>
  askAhead(mediaPath(jobId, { type: 'chunk', index, quality: 'compressed' }), { accept: '*/*' });

async function read(response: Response | undefined): Promise<unknown> {
  if (response?.ok !== true) throw new Error('There is nothing to be had ahead.');
  return response.clone().json();
}
