import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { AnnotationDocument, type Conflict } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import type { LoadedAnnotations } from '../data/queries';
import { Editor } from './editor';
import { Saver, type SaveState } from './saver';
import type { UnsavedStore } from './unsaved-store';

const AUTOSAVE_MS = 30_000;

/** The editor of a job, and whether its changes are saved. */
export interface Editing {
  readonly editor: Editor;
  readonly state: SaveState;
  /** Why the last save failed. */
  readonly error: unknown;
  /** Objects that another user has changed differently. The user decides which version to keep. */
  readonly conflicts: readonly Conflict[];
  /** The number of unsaved changes of an earlier visit that were restored. */
  readonly restored: number;
  readonly saver: Saver;
  settle(conflict: Conflict, keep: 'mine' | 'theirs'): void;
}

/** The parts of the editor that live as long as the page. */
interface Session {
  readonly editor: Editor;
  readonly saver: Saver;
  readonly restored: number;
}

interface Status {
  readonly saving: 'idle' | 'saving' | 'failed';
  readonly error: unknown;
  readonly conflicts: readonly Conflict[];
}

/** @returns undefined until the annotations are loaded */
export function useEditing(
  jobId: number,
  loaded: LoadedAnnotations | undefined,
  store: UnsavedStore,
): Editing | undefined {
  const [status, setStatus] = useState<Status>({ saving: 'idle', error: null, conflicts: [] });
  const session = useMemo(() => {
    if (loaded === undefined) return undefined;
    return begin(jobId, loaded, store, (change) => setStatus((before) => ({ ...before, ...change(before) })));
  }, [jobId, loaded, store]);
  useSyncExternalStore(session?.editor.subscribe ?? subscribeToNothing, session?.editor.version ?? zero);
  useEffect(() => {
    if (session === undefined) return;
    const save = (): void => void session.saver.save().catch(() => undefined); // the status shows errors
    const onHide = (): void => (document.visibilityState === 'hidden' ? save() : undefined);
    const timer = setInterval(save, AUTOSAVE_MS);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onHide);
      save();
    };
  }, [session]);
  if (session === undefined) return undefined;
  const { editor, saver, restored } = session;
  const idle = editor.document.hasUnsaved ? 'unsaved' : 'saved';
  return {
    editor,
    restored,
    state: status.saving === 'idle' ? idle : status.saving,
    error: status.error,
    conflicts: status.conflicts,
    saver,
    settle(conflict, keep) {
      editor.document.settle(conflict, keep);
      editor.notify();
      setStatus((before) => ({ ...before, conflicts: before.conflicts.filter((other) => other !== conflict) }));
    },
  };
}

const subscribeToNothing = () => () => undefined;
const zero = (): number => 0;

function begin(
  jobId: number,
  { data, etag, labels, unsaved }: LoadedAnnotations,
  store: UnsavedStore,
  setStatus: (change: (before: Status) => Partial<Status>) => void,
): Session {
  const document = new AnnotationDocument(storedObjects(data));
  const conflicts = document.restore(unsaved);
  const editor = new Editor(document, labels);
  const addConflicts = (found: readonly Conflict[]): void => {
    if (found.length > 0) setStatus((before) => ({ conflicts: [...before.conflicts, ...found] }));
  };
  const keep = (): void => {
    const work = { time: Date.now(), changes: document.kept(), pending: saver.pending };
    store.write(work).catch((error: unknown) => setStatus(() => ({ saving: 'failed', error })));
  };
  const saver = new Saver(jobId, document, etag, {
    onPending: keep,
    onDocument: () => editor.notify(),
    onState: (state, error) =>
      setStatus(() => ({ saving: state === 'saving' || state === 'failed' ? state : 'idle', error })),
    onMerged: addConflicts,
  });
  editor.subscribe(keep);
  if (unsaved.length > 0) queueMicrotask(() => addConflicts(conflicts));
  return { editor, saver, restored: unsaved.length };
}
