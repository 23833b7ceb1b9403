import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { CairnError } from 'cairn-client';
import { type Dispatch, type SetStateAction, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { AnnotationDocument, type Conflict } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import { readLabels } from '../data/annotation-state';
import { ServerUnavailable, sessionOwner } from '../../../app/api';
import { useConnection } from '../../../app/connection';
import { jobKey } from '../data/job-queries';
import { type LoadedAnnotations, useAnnotations } from '../data/queries';
import { Editor } from './editor';
import { useSettings } from '../settings/settings';
import { hideUnsaved, showNotice, showUnsaved } from '../../../components/notify';
import { Follower } from '../people/follower';
import { Others } from '../people/others';
import { Saver, type SaveState, Undecided } from './saver';
import { UnsavedStore, type UnsavedWork } from './unsaved-store';

const FORBIDDEN = 403;

/** The editor of a job, and whether its changes are saved. */
export interface Editing {
  readonly jobId: number;
  readonly editor: Editor;
  readonly state: SaveState;
  /** Why the last save failed. */
  readonly error: unknown;
  /** Whether the last save was refused, because the user has lost the permission. */
  readonly isForbidden: boolean;
  /** Objects that another user has changed differently. They are not saved until the user decides which version to keep. */
  readonly conflicts: readonly Conflict[];
  /** Names of the users who have changed the objects in conflict, by key, as far as they are known. */
  readonly changedBy: ReadonlyMap<string, string>;
  /** Whether the conflicts are shown. */
  readonly isDeciding: boolean;
  readonly saver: Saver;
  /** Saves, and shows conflicts that prevent it. @throws CairnError, ServerUnavailable, LabelDeleted */
  save(): Promise<void>;
  showConflicts(isDeciding: boolean): void;
  settle(conflicts: readonly Conflict[], keep: 'mine' | 'theirs'): void;
}

/** The parts of the editor that live as long as the page. */
export interface Session {
  readonly editor: Editor;
  readonly saver: Saver;
  /** Merges what others save. */
  readonly follower: Follower;
}

/** A session with the function that saves everything, including a mask that is being painted. */
export interface OpenSession extends Session {
  save(): Promise<void>;
}

interface Status {
  readonly saving: 'idle' | 'saving' | 'waiting' | 'failed';
  readonly error: unknown;
  readonly isDeciding: boolean;
  readonly changedBy: ReadonlyMap<string, string>;
}

const IDLE: Status = { saving: 'idle', error: null, isDeciding: false, changedBy: new Map() };

/** The annotations of a job: the editor, undefined until they are loaded; and the query that loads them. */
export interface JobAnnotations {
  readonly editing: Editing | undefined;
  readonly session: Session | undefined;
  readonly loading: Pick<UseQueryResult<LoadedAnnotations>, 'error' | 'isPending' | 'refetch'>;
}

/**
 * Loads the annotations of a job and edits them until the page is left.
 * @returns another object after every change, but not after every rendering
 */
export function useEditing(jobId: number, userId: number): JobAnnotations {
  const { autosave } = useSettings();
  const [store] = useState(() => new UnsavedStore(userId, jobId));
  const [status, setStatus] = useState(IDLE);
  const [session, setSession] = useState<Session>();
  const loading = useAnnotations(jobId, store, session === undefined);
  if (session === undefined && loading.data !== undefined) {
    setSession(
      begin({ jobId, userId }, loading.data, store, (change) =>
        setStatus((before) => ({ ...before, ...change(before) })),
      ),
    );
  }
  const client = useQueryClient();
  const isForbidden = isForbiddenBy(status);
  useEffect(() => {
    // The job was probably assigned to somebody else: load what this user can still do.
    if (isForbidden) void client.invalidateQueries({ queryKey: jobKey(jobId) });
  }, [client, jobId, isForbidden]);
  useEffect(() => {
    store.open();
    return () => store.closeUnlessEdited();
  }, [store]);
  const version = useSyncExternalStore(
    session?.editor.subscribe ?? subscribeToNothing,
    session?.editor.version ?? zero,
  );
  useEffect(() => {
    if (session === undefined) return;
    hideUnsaved(jobId);
    const save = (): void => void session.saver.save().catch(() => undefined); // the status shows errors
    const onHide = (): void => (document.visibilityState === 'hidden' ? save() : undefined);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      session.follower.stop();
      // The next page must not take over what this one is still saving.
      void session.saver
        .save()
        .catch((error: unknown) => showUnsaved(jobId, error))
        .finally(() => store.close());
    };
  }, [jobId, session, store]);
  const { isAway } = useConnection();
  const isDue = status.error instanceof ServerUnavailable && !isAway;
  useEffect(() => {
    if (isDue) void session?.saver.save().catch(() => undefined);
  }, [session, isDue]);
  useEffect(() => {
    if (session === undefined || autosave === 0) return;
    const timer = setInterval(() => void session.saver.save().catch(() => undefined), autosave * 1000);
    return () => clearInterval(timer);
  }, [session, autosave]);
  const editing = useMemo(
    () => session && editingOf(jobId, session, status, setStatus),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
    [jobId, session, status, version],
  );
  const { error, isPending, refetch } = loading;
  return useMemo(
    () => ({ editing, session, loading: { error, isPending, refetch } }),
    [editing, session, error, isPending, refetch],
  );
}

const subscribeToNothing = () => () => undefined;
const zero = (): number => 0;

const isForbiddenBy = ({ error }: Status): boolean => error instanceof CairnError && error.status === FORBIDDEN;

function editingOf(
  jobId: number,
  { editor, saver }: Session,
  status: Status,
  setStatus: Dispatch<SetStateAction<Status>>,
): Editing {
  const idle = editor.document.hasUnsaved ? 'unsaved' : 'saved';
  return {
    jobId,
    editor,
    state: status.saving === 'idle' ? idle : status.saving,
    error: status.error,
    isForbidden: isForbiddenBy(status),
    conflicts: editor.document.conflicts,
    changedBy: status.changedBy,
    isDeciding: status.isDeciding,
    saver,
    async save() {
      try {
        await saver.save();
      } catch (error) {
        if (!(error instanceof Undecided)) throw error;
        setStatus((before) => ({ ...before, isDeciding: true }));
      }
    },
    showConflicts: (isDeciding) => setStatus((before) => ({ ...before, isDeciding })),
    settle(conflicts, keep) {
      editor.together(() => conflicts.forEach((conflict) => editor.document.settle(conflict, keep)));
      if (editor.document.conflicts.length > 0) return;
      setStatus((before) => ({ ...before, isDeciding: false, changedBy: new Map() }));
      void saver.save().catch(() => undefined); // the status shows errors
    },
  };
}

function begin(
  { jobId, userId }: { readonly jobId: number; readonly userId: number },
  { data, etag, labels, unsaved }: LoadedAnnotations,
  store: UnsavedStore,
  setStatus: (change: (before: Status) => Partial<Status>) => void,
): Session {
  const document = new AnnotationDocument(storedObjects(data));
  const conflicts = document.restore(unsaved);
  store.isEdited = true;
  const editor = new Editor(document, labels);
  const others = new Others(jobId, userId);
  const addAuthors = async (found: readonly Conflict[]): Promise<void> => {
    if (found.length === 0) return;
    const authors = await others.authorsOf(found, (key) => document.idOf(key));
    setStatus(({ changedBy }) => ({ changedBy: new Map([...changedBy, ...authors]) }));
  };
  const keep = (): Promise<void> => {
    const work = (): UnsavedWork => {
      const { pending } = saver;
      const sent = pending?.objects.map(({ key }) => key);
      return { changes: document.unsavedForStorage(editor.unfinished.draft, sent), pending };
    };
    return store.write(work).catch((error: unknown) => {
      if (document.hasUnsaved) setStatus(() => ({ saving: 'failed', error }));
    });
  };
  const saver = new Saver(jobId, document, etag, {
    onPending: async () => {
      await keep();
      sessionOwner.require(userId); // the last save of a page that was left can run after a logout
    },
    onDocument: () => editor.notify(),
    onState: (state, error) =>
      setStatus((before) => ({
        saving: state === 'saved' || state === 'unsaved' ? 'idle' : state,
        error: state === 'saving' || state === 'waiting' ? before.error : error, // the tools of a user without permission must not flicker
      })),
    onLabelsDeleted: (ids) => editor.removeLabels(ids),
    onMerged: (found) => {
      // The others may use new labels, and a deleted label takes its objects with it.
      void readLabels(jobId).then(
        (current) => editor.setLabels(current),
        () => undefined,
      );
      void addAuthors(found).catch(() => undefined); // without names, the conflicts can be settled, too
      void others.describe().then(
        (text) => (text === undefined ? undefined : showNotice('others', text)),
        () => undefined,
      );
    },
    heldKey: () => editor.unfinished.held,
  });
  const follower = new Follower(async (revision) => {
    const isDone = await saver.catchUp();
    if (isDone) others.noteSeen(revision);
    return isDone;
  });
  editor.subscribe(() => void keep());
  editor.unfinished.onDraft = () => void keep();
  if (conflicts.length > 0) {
    queueMicrotask(() => setStatus(() => ({ isDeciding: true })));
    void addAuthors(conflicts).catch(() => undefined);
  }
  return { editor, saver, follower };
}
