import { unwrap } from 'cairn-client';
import { emptyData, type LabeledData } from '#shared/annotations/model';
import { ANYWHERE, api, type Label, readAll } from '../../../app/api';

/** The annotations of a job as the server has them. */
export interface AnnotationState {
  readonly data: LabeledData;
  /** Entity tag of this state. */
  readonly etag: string;
}

/** Reads the labels that the annotations of a job can have. */
export const readLabels = (jobId: number): Promise<Label[]> =>
  readAll('/api/labels', { query: { job_id: jobId }, headers: ANYWHERE });

const NOT_MODIFIED = 304;

/** Reads the annotations of a job with their entity tag. */
export async function readAnnotations(id: number, signal?: AbortSignal): Promise<AnnotationState> {
  const response = await request(id, ANYWHERE, signal);
  return stateOf(response);
}

/** Reads the annotations of a job unless they still have the entity tag. */
export async function readNewerAnnotations(id: number, etag: string): Promise<AnnotationState | undefined> {
  const response = await request(id, { ...ANYWHERE, 'If-None-Match': etag });
  return response.response.status === NOT_MODIFIED ? undefined : stateOf(response);
}

const request = (id: number, headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
  api.GET('/api/jobs/{id}/annotations/', {
    params: { path: { id } },
    headers,
    ...(signal === undefined ? {} : { signal }),
  });

function stateOf(response: Awaited<ReturnType<typeof request>>): AnnotationState {
  // Responses have every field. The schema marks some as optional, for requests.
  const data = { ...emptyData(), ...unwrap(response) } as LabeledData;
  return { data, etag: response.response.headers.get('ETag') ?? '' };
}
