import type { Caller } from '../call.js';

/** Chunks and frames. */
export const media =
  (kind: 'tasks' | 'jobs'): Caller =>
  ({ taskId, jobId }) => {
    const path = `/api/${kind}/${kind === 'tasks' ? `${taskId}/data/` : `${jobId}/data`}`;
    const original = `${path}?type=frame&number=0&quality=original`;
    const others = ['type=chunk&number=0', 'type=frame&number=0', 'type=frame&number=99', 'type=x'];
    return [
      ...others.map((query) => ({ path: `${path}?${query}` })),
      { path: original },
      { path: original, headers: { Range: 'bytes=0-9' } },
      { path: original, headers: { Range: 'bytes=99999999-' } },
    ];
  };
