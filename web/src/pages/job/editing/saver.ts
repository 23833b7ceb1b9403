import { CairnError, unwrap } from 'cairn-client';
import type {
  AnnotationDocument,
  Conflict,
  StoredChange,
  Saved,
  Unsaved,
  UnsavedChanges,
} from '#shared/annotations/editing/document';
import {
  type EditedObject,
  isSame,
  isStoredAs,
  labeledData,
  type StoredObject,
  storedObjects,
} from '#shared/annotations/editing/edited-object';
import type { AnnotationAction, LabeledData } from '#shared/annotations/model';
import { api } from '../../../app/api';
import { randomId } from '../../../app/random-id';
import { counted } from '../../../components/counted';
import { readAnnotations, readLabels, readNewerAnnotations } from '../data/annotation-state';

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed';

interface SaverEvents {
  /** Stores the pending request. Only then is it sent: if the page ends, the next one repeats it with the same key. */
  onPending(): Promise<void>;
  /** The document has new ids, or annotations of other users. */
  onDocument(): void;
  onState(state: SaveState, error: unknown): void;
  /** Labels were deleted. Annotations with them cannot be saved until they have another label. */
  onLabelsDeleted(ids: ReadonlySet<number>): void;
  /** Annotations of other users were merged; `conflicts` are those that this user has changed, too. */
  onMerged(conflicts: readonly Conflict[]): void;
  /** The key of an object that is being edited, but whose change is not in the document yet. */
  heldKey(): string | undefined;
}

/** One request. It is repeated with the same idempotency key until the server responds. */
export interface Save {
  readonly action: AnnotationAction;
  readonly objects: readonly Unsaved[];
  readonly key: string;
  readonly etag: string;
}

const ACTIONS = ['delete', 'update', 'create'] as const satisfies readonly (keyof UnsavedChanges)[];
const BAD_REQUEST = 400;
const PRECONDITION_FAILED = 412;
const CONFLICT = 409;
const RETRY_MS = 300;
const MAX_ATTEMPTS = 40;

/** Some annotations have a label that no longer exists. All others are saved. */
export class LabelDeleted extends Error {
  constructor(count: number) {
    const [has, them] = count === 1 ? ['has', 'it'] : ['have', 'them'];
    const what = counted(count, 'object');
    super(`${what} ${has} a label that was deleted. Select another label for ${them}, or delete ${them}.`);
    this.name = 'LabelDeleted';
  }
}

/** Others have changed some of the changed objects. All others are saved. */
export class Undecided extends Error {
  constructor(count: number) {
    const were = count === 1 ? 'object was' : 'objects were';
    super(`${count.toLocaleString('en')} ${were} also changed by somebody else. Decide which version to keep.`);
    this.name = 'Undecided';
  }
}

/**
 * Sends the unsaved changes of a document, with one request for each action. The server refuses a request if somebody else
 * has saved since. Then the saver merges their annotations and sends the changes again.
 */
export class Saver {
  private running: Promise<void> | undefined;
  /** Saves and merges run one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private pendingSave: Save | undefined;
  private readonly deletedLabels = new Set<number>();

  constructor(
    private readonly jobId: number,
    private readonly document: AnnotationDocument,
    private etag: string,
    private readonly events: SaverEvents,
  ) {}

  /** The request that has no response yet. The server may have processed it. */
  get pending(): Save | undefined {
    return this.pendingSave;
  }

  /** Saves all changes, including those made while it runs. @throws CairnError if the server refuses, or ServerUnavailable */
  save(): Promise<void> {
    this.running ??= this.inTurn(() => this.run()).finally(() => (this.running = undefined));
    return this.running;
  }

  /**
   * Merges what others have saved since the last save or merge.
   * @returns whether this page has everything that the server has
   */
  catchUp(): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.pendingSave !== undefined) return false; // its response decides which objects are this user's
      await this.refresh();
      this.events.onDocument();
      return true;
    });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work, work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async run(): Promise<void> {
    if (!this.document.hasUnsaved) return;
    this.events.onState('saving', null);
    try {
      for (let save = this.next(); save !== undefined; save = this.next()) await this.send(save);
      const blocked = this.blocked();
      if (blocked > 0) throw new LabelDeleted(blocked);
      const { conflicts } = this.document;
      if (conflicts.length > 0) throw new Undecided(conflicts.length);
      this.events.onState('saved', null);
    } catch (error) {
      this.events.onState('failed', error);
      throw error;
    }
  }

  private next(): Save | undefined {
    if (this.pendingSave !== undefined) return this.pendingSave;
    const changes = this.document.unsaved();
    for (const action of ACTIONS) {
      const objects = action === 'delete' ? changes.delete : changes[action].filter((one) => !this.isBlocked(one));
      if (objects.length > 0) return { action, objects, key: randomId(), etag: this.etag };
    }
    return undefined;
  }

  private isBlocked({ object }: Unsaved): boolean {
    return this.deletedLabels.has(object.value.label_id);
  }

  private blocked(): number {
    const { create, update } = this.document.unsaved();
    return [...create, ...update].filter((one) => this.isBlocked(one)).length;
  }

  private async send(save: Save): Promise<void> {
    this.pendingSave = save;
    await this.events.onPending();
    try {
      const response = await request(this.jobId, save);
      const data = unwrap(response) as LabeledData;
      this.etag = response.response.headers.get('ETag') ?? this.etag;
      this.pendingSave = undefined;
      if (save.action === 'delete') this.document.markDeleted(save.objects.map(({ key }) => key));
      else this.document.markSaved(savedObjects(save.objects, data));
    } catch (error) {
      if (isRefused(error)) this.pendingSave = undefined;
      if (wasProcessed(error)) await this.refresh(save.action === 'create' ? save.objects : []);
      else if (error instanceof CairnError && error.status === PRECONDITION_FAILED) await this.refresh();
      else if (!(await this.findDeletedLabels(error, save))) throw error;
    }
    this.events.onDocument();
  }

  /** @returns whether the request was refused because of labels that have been deleted */
  private async findDeletedLabels(error: unknown, { action, objects }: Save): Promise<boolean> {
    if (!(error instanceof CairnError) || error.status !== BAD_REQUEST || action === 'delete') return false;
    const labels = await readLabels(this.jobId);
    const known = new Set(labels.map(({ id }) => id));
    const gone = objects.map(({ object }) => object.value.label_id).filter((id) => !known.has(id));
    for (const id of gone) this.deletedLabels.add(id);
    if (gone.length > 0) this.events.onLabelsDeleted(this.deletedLabels);
    return gone.length > 0;
  }

  /**
   * Merges what other users have saved.
   * @param created annotations that an earlier request has created, although its response was lost
   */
  private async refresh(created: readonly Unsaved[] = []): Promise<void> {
    const newer = await readNewerAnnotations(this.jobId, this.etag);
    if (newer === undefined) return;
    const objects = storedObjects(newer.data);
    this.etag = newer.etag;
    this.document.markSaved(createdObjects(created, objects));
    this.events.onMerged(this.document.merge(objects, this.events.heldKey()));
  }
}

const request = (jobId: number, { action, objects, key, etag }: Save) =>
  api.PATCH('/api/jobs/{id}/annotations/', {
    params: { path: { id: jobId }, query: { action } },
    headers: { 'Idempotency-Key': key, 'If-Match': etag },
    body: labeledData(objects) as never,
  });

/** Waits while the server still processes the same request of an earlier page. */
async function withRetries(jobId: number, save: Save): ReturnType<typeof request> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await request(jobId, save);
    if (response.response.status !== CONFLICT || attempt === MAX_ATTEMPTS) return response;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * Whether it is certain that the server will not process the request any more. After a failure of the server or of a
 * proxy, or while the server still processes it, the request has to be repeated with the same key.
 */
function isRefused(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.status >= 500) return false;
  return error.status !== CONFLICT || wasProcessed(error);
}

/** Whether the server has processed the request, but its response was lost, as after a crash. */
const wasProcessed = (error: unknown): boolean =>
  error instanceof CairnError && error.status === CONFLICT && /was lost/.test(error.message);

/**
 * Repeats the last request of an earlier page, whose response never arrived. Its idempotency key ensures that the server
 * processes it only once.
 * @returns the changes that are still unsaved
 * @throws ServerUnavailable
 */
export async function completed(
  jobId: number,
  changes: readonly StoredChange[],
  save: Save,
): Promise<readonly StoredChange[]> {
  try {
    const data = unwrap(await withRetries(jobId, save)) as LabeledData;
    return save.action === 'delete'
      ? withoutDeleted(changes, save)
      : without(changes, savedObjects(save.objects, data));
  } catch (error) {
    if (wasProcessed(error)) {
      if (save.action === 'delete') return withoutDeleted(changes, save);
      const { data } = await readAnnotations(jobId);
      // The server's state tells which updates were saved. Objects that were created are found by their content.
      return without(changes, save.action === 'create' ? createdObjects(save.objects, storedObjects(data)) : []);
    }
    if (isRefused(error)) return changes;
    throw error;
  }
}

/** @returns the changes that a request has not saved */
function without(changes: readonly StoredChange[], saved: readonly Saved[]): readonly StoredChange[] {
  const found = new Map(saved.map((one) => [one.key, one]));
  return changes.flatMap((change) => {
    const one = found.get(change.key);
    if (one === undefined) return [change];
    return isSame(change.object, one.sent) ? [] : [{ ...change, id: one.id, base: one.object }];
  });
}

/** @returns the changes that a request has not saved by deleting */
function withoutDeleted(changes: readonly StoredChange[], { objects }: Save): readonly StoredChange[] {
  const deleted = new Set(objects.map(({ key }) => key));
  return changes.filter(({ key, object }) => object !== undefined || !deleted.has(key));
}

/** Finds annotations that a request has created among those of the server: the newest ones with the same content. */
function createdObjects(sent: readonly Unsaved[], stored: readonly StoredObject[]): Saved[] {
  const newest = stored.toSorted((a, b) => b.id - a.id);
  return sent.toReversed().flatMap(({ key, object }) => {
    const at = newest.findIndex((one) => isStoredAs(object, one.object));
    return newest.splice(at, at < 0 ? 0 : 1).map((one) => ({ key, id: one.id, sent: object, object: one.object }));
  });
}

/** Matches sent and saved annotations: a response lists those of each kind in the order of the request. */
function savedObjects(sent: readonly Unsaved[], data: LabeledData): Saved[] {
  const returned: Record<EditedObject['kind'], { id: number; object: EditedObject }[]> = {
    tag: [],
    shape: [],
    track: [],
  };
  for (const one of storedObjects(data)) returned[one.object.kind].push(one);
  return sent.map(({ key, object }) => {
    const found = returned[object.kind].shift();
    if (found === undefined) throw new Error(`The server has not saved a ${object.kind}.`);
    return { key, id: found.id, sent: object, object: found.object };
  });
}
