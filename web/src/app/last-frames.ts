const KEY = 'last-frames';
const MAX_JOBS = 200;
/** How often a frame is stored while the user goes through a job. */
const INTERVAL_MS = 1000;

type Entry = readonly [jobId: number, frame: number];

function entries(): readonly Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as Entry[]) : [];
  } catch {
    return []; // not JSON
  }
}

/** The frame that is not stored yet. */
let pending: Entry | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function store(): void {
  clearTimeout(timer);
  timer = undefined;
  if (pending === undefined) return;
  const [jobId] = pending;
  const others = entries().filter(([id]) => id !== jobId);
  try {
    localStorage.setItem(KEY, JSON.stringify([pending, ...others].slice(0, MAX_JOBS)));
  } catch {
    // The storage is full or not allowed. Then a job opens at its first frame.
  }
  pending = undefined;
}

window.addEventListener('pagehide', store);

/** The frame of each job that was last open in this browser, so that work continues where it was left. */
export const lastFrames = {
  of(jobId: number): number | undefined {
    store();
    return entries().find(([id]) => id === jobId)?.[1];
  },
  set(jobId: number, frame: number): void {
    if (pending !== undefined && pending[0] !== jobId) store();
    pending = [jobId, frame];
    timer ??= setTimeout(store, INTERVAL_MS);
  },
};
