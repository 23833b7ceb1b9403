import { unwrap } from 'cairn-client';
import { emptyData, type LabeledData } from '#shared/annotations/model';
import { ANYWHERE, api } from '../../../app/api';

/** The annotations of a job as the server has them. */
export interface AnnotationState {
  readonly data: LabeledData;
  /** Entity tag of this state. */
  readonly etag: string;
}

/** Reads the annotations of a job with their entity tag. */
export async function readAnnotations(id: number, signal?: AbortSignal): Promise<AnnotationState> {
  const response = await api.GET('/api/jobs/{id}/annotations/', {
    params: { path: { id } },
    headers: ANYWHERE,
    ...(signal === undefined ? {} : { signal }),
  });
  // Responses have every field. The schema marks some as optional, for requests.
  const data = { ...emptyData(), ...unwrap(response) } as LabeledData;
  return { data, etag: response.response.headers.get('ETag') ?? '' };
}
