const KEY = 'last-frames';
const MAX_JOBS = 200;

type Entry = readonly [jobId: number, frame: number];

function entries(): readonly Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as Entry[]) : [];
  } catch {
    return []; // not JSON
  }
}

/** The frame of each job that was last open in this browser, so that work continues where it was left. */
export const lastFrames = {
  of: (jobId: number): number | undefined => entries().find(([id]) => id === jobId)?.[1],
  set(jobId: number, frame: number): void {
    const others = entries().filter(([id]) => id !== jobId);
    try {
      localStorage.setItem(KEY, JSON.stringify([[jobId, frame], ...others].slice(0, MAX_JOBS)));
    } catch {
      // The storage is full or not allowed. Then a job opens at its first frame.
    }
  },
};
