import { hasUnsavedWork } from '../editing/unsaved-store';
import { readAnnotations, readLabels } from './annotation-state';
import type { LoadedAnnotations } from './queries';

/** Annotations are discarded if no page has taken them after this time. */
const KEPT_MS = 10_000;

interface Ahead {
  readonly jobId: number;
  readonly loading: Promise<LoadedAnnotations | undefined>;
  loaded: LoadedAnnotations | undefined;
}

let ahead: Ahead | undefined;

/** Starts to read the annotations of a job before its page is rendered, which takes them then. */
export async function readAhead(userId: number, jobId: number): Promise<void> {
  const started: Ahead = { jobId, loading: read(userId, jobId).catch(() => undefined), loaded: undefined };
  ahead = started;
  setTimeout(() => discard(started), KEPT_MS);
  started.loaded = await started.loading;
}

/** @returns undefined if an earlier page has left unsaved work, which the page takes over first */
async function read(userId: number, jobId: number): Promise<LoadedAnnotations | undefined> {
  const [hasWork, labels, annotations] = await Promise.all([
    hasUnsavedWork(userId, jobId),
    readLabels(jobId),
    readAnnotations(jobId),
  ]);
  return hasWork ? undefined : { ...annotations, labels, unsaved: [] };
}

/** The annotations that were read early, once, if they have arrived. */
export function annotationsAhead(jobId: number): LoadedAnnotations | undefined {
  if (ahead?.jobId !== jobId || ahead.loaded === undefined) return undefined;
  const { loaded } = ahead;
  ahead = undefined;
  return loaded;
}

/** Waits for the annotations that are being read early. @returns them once, or undefined if the page has to read them */
export async function takeAnnotations(jobId: number): Promise<LoadedAnnotations | undefined> {
  if (ahead?.jobId !== jobId) return undefined;
  const { loading } = ahead;
  ahead = undefined;
  return loading;
}

function discard(unused: Ahead): void {
  if (ahead === unused) ahead = undefined;
}
