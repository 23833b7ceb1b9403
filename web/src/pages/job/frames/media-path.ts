import type { Quality } from './frame-loader';

export interface MediaQuery {
  readonly type: 'chunk' | 'frame' | 'context_image';
  readonly index?: number;
  readonly number?: number;
  readonly quality?: Quality;
}

/** Path and query of media of a job. */
export function mediaPath(jobId: number, query: MediaQuery): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return `/api/jobs/${jobId}/data?${search.toString()}`;
}
