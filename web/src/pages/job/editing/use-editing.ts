import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { CairnError } from 'cairn-client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { AnnotationDocument, type Conflict } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import { jobKey } from '../data/job-queries';
import { type LoadedAnnotations, useAnnotations } from '../data/queries';
import { Editor } from './editor';
import { useSettings } from '../settings/settings';
import { Saver, type SaveState } from './saver';
import { UnsavedStore } from './unsaved-store';

const FORBIDDEN = 403;

/** The editor of a job, and whether its changes are saved. */
export interface Editing {
  readonly editor: Editor;
  readonly state: SaveState;
  /** Why the last save failed. */
  readonly error: unknown;
  /** Whether the last save was refused, because the user has lost the permission. */
  readonly isForbidden: boolean;
  /** Objects that another user has changed differently. The user decides which version to keep. */
  readonly conflicts: readonly Conflict[];
  readonly saver: Saver;
  settle(conflict: Conflict, keep: 'mine' | 'theirs'): void;
}

/** The parts of the editor that live as long as the page. */
interface Session {
  readonly editor: Editor;
  readonly saver: Saver;
}

interface Status {
  readonly saving: 'idle' | 'saving' | 'failed';
  readonly error: unknown;
  readonly conflicts: readonly Conflict[];
}

/**
 * Loads the annotations of a job and edits them until the page is left.
 * @returns the editor, undefined until the annotations are loaded; and the query that loads them
 */
export function useEditing(
  jobId: number,
  userId: number,
): { readonly editing: Editing | undefined; readonly loading: UseQueryResult<LoadedAnnotations> } {
  const { autosave } = useSettings();
  const [store] = useState(() => new UnsavedStore(userId, jobId));
  const [status, setStatus] = useState<Status>({ saving: 'idle', error: null, conflicts: [] });
  const [session, setSession] = useState<Session>();
  const loading = useAnnotations(jobId, store, session === undefined);
  if (session === undefined && loading.data !== undefined) {
    setSession(
      begin(jobId, loading.data, store, (change) => setStatus((before) => ({ ...before, ...change(before) }))),
    );
  }
  const client = useQueryClient();
  const isForbidden = status.error instanceof CairnError && status.error.status === FORBIDDEN;
  useEffect(() => {
    // The job was probably assigned to somebody else: load what this user can still do.
    if (isForbidden) void client.invalidateQueries({ queryKey: jobKey(jobId) });
  }, [client, jobId, isForbidden]);
  useEffect(() => {
    store.open();
    return () => store.closeUnlessEdited();
  }, [store]);
  useSyncExternalStore(session?.editor.subscribe ?? subscribeToNothing, session?.editor.version ?? zero);
  useEffect(() => {
    if (session === undefined) return;
    const save = (): void => void session.saver.save().catch(() => undefined); // the status shows errors
    const onHide = (): void => (document.visibilityState === 'hidden' ? save() : undefined);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      // The next page must not take over what this one is still saving.
      void session.saver
        .save()
        .catch(() => undefined)
        .finally(() => store.close());
    };
  }, [session, store]);
  useEffect(() => {
    if (session === undefined || autosave === 0) return;
    const timer = setInterval(() => void session.saver.save().catch(() => undefined), autosave * 1000);
    return () => clearInterval(timer);
  }, [session, autosave]);
  if (session === undefined) return { editing: undefined, loading };
  const { editor, saver } = session;
  const idle = editor.document.hasUnsaved ? 'unsaved' : 'saved';
  const editing: Editing = {
    editor,
    state: status.saving === 'idle' ? idle : status.saving,
    error: status.error,
    isForbidden,
    conflicts: status.conflicts,
    saver,
    settle(conflict, keep) {
      editor.document.settle(conflict, keep);
      editor.notify();
      setStatus((before) => ({ ...before, conflicts: before.conflicts.filter((other) => other !== conflict) }));
    },
  };
  return { editing, loading };
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
  store.isEdited = true;
  const editor = new Editor(document, labels);
  const addConflicts = (found: readonly Conflict[]): void => {
    if (found.length > 0) setStatus((before) => ({ conflicts: [...before.conflicts, ...found] }));
  };
  const keep = (): Promise<void> => {
    const work = { changes: document.unsavedForStorage(editor.draft), pending: saver.pending };
    return store.write(work).catch((error: unknown) => setStatus(() => ({ saving: 'failed', error })));
  };
  const saver = new Saver(jobId, document, etag, {
    onPending: keep,
    onDocument: () => editor.notify(),
    onState: (state, error) =>
      setStatus(() => ({ saving: state === 'saving' || state === 'failed' ? state : 'idle', error })),
    onLabelsDeleted: (ids) => editor.removeLabels(ids),
    onMerged: addConflicts,
  });
  editor.subscribe(() => void keep());
  editor.onDraft = () => void keep();
  if (unsaved.length > 0) queueMicrotask(() => addConflicts(conflicts));
  return { editor, saver };
}
