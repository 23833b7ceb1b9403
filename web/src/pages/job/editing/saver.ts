import { CairnError, unwrap } from 'cairn-client';
import type { AnnotationDocument, Conflict, Unsaved, UnsavedChanges } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import type { LabeledData } from '#shared/annotations/model';
import { randomId } from '../../../app/random-id';
import { counted } from '../../../components/counted';
import { readLabels, readNewerAnnotations } from '../data/annotation-state';
import { type RepeatedRequest, sendRepeatedly } from './repeated-request';
import { deletedBy, isOutdated, isRefused, type Save, savedBy, savedObjects, sendSave, wasProcessed } from './save';

/** `waiting` for a server that does not respond. */
export type SaveState = 'saved' | 'unsaved' | 'saving' | 'waiting' | 'failed';

interface SaverEvents {
  /**
   * Stores the pending request. Only then is it sent or repeated: if the page ends, the next one repeats it with the same
   * key. @throws OtherUser
   */
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

const ACTIONS = ['delete', 'update', 'create'] as const satisfies readonly (keyof UnsavedChanges)[];
const BAD_REQUEST = 400;
const TOO_LARGE = 413;

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
  /** The number of objects that the server accepts in one request. */
  private maxObjects = Infinity;

  constructor(
    private readonly jobId: number,
    private readonly document: AnnotationDocument,
    private etag: string,
    private readonly events: SaverEvents,
    private readonly pause?: RepeatedRequest<unknown>['pause'],
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
    // A request without a response may have saved what was undone since.
    if (!this.document.hasUnsaved && this.pendingSave === undefined) return;
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
      if (objects.length > 0) {
        const part = objects.slice(0, this.maxObjects);
        return { action, objects: part, key: randomId(), etag: this.etag, newest: this.document.newestIds() };
      }
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
    let isRepeated = this.pendingSave === save;
    this.pendingSave = save;
    this.events.onState('saving', null);
    await this.events.onPending();
    try {
      const { response, data } = await sendRepeatedly({
        send: async (signal) => {
          const sent = await sendSave(this.jobId, save, signal);
          return { response: sent.response, data: unwrap(sent) as LabeledData };
        },
        isRefused,
        onSilence: async () => {
          isRepeated = true;
          this.events.onState('waiting', null);
          await this.events.onPending();
        },
        ...(this.pause === undefined ? {} : { pause: this.pause }),
      });
      if (save.action === 'delete') this.document.markDeleted(save.objects.map(({ key }) => key));
      else this.document.markSaved(savedObjects(save.objects, data));
      this.etag = response.headers.get('ETag') ?? this.etag;
      this.pendingSave = undefined;
    } catch (error) {
      const isOver = wasProcessed(error);
      const isMerged = isOver || isOutdated(error);
      if (isMerged) await this.refresh(isOver || isRepeated ? save : undefined);
      if (isRefused(error)) this.pendingSave = undefined;
      if (!isMerged && !this.divides(error, save) && !(await this.findDeletedLabels(error, save))) throw error;
    }
    this.events.onDocument();
  }

  /** @returns whether the request was refused because it is too large, so that smaller ones will replace it */
  private divides(error: unknown, { objects }: Save): boolean {
    if (!(error instanceof CairnError) || error.status !== TOO_LARGE || objects.length === 1) return false;
    this.maxObjects = Math.ceil(objects.length / 2);
    return true;
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
   * @param sent a request that the server may have processed, although its response was lost
   */
  private async refresh(sent?: Save): Promise<void> {
    const newer = await readNewerAnnotations(this.jobId, this.etag);
    if (newer === undefined) return;
    const objects = storedObjects(newer.data);
    this.etag = newer.etag;
    if (sent?.action === 'delete') this.document.markDeleted(deletedBy(sent, objects));
    else if (sent !== undefined) this.document.markSaved(savedBy(sent, objects));
    this.events.onMerged(this.document.merge(objects, this.events.heldKey()));
  }
}
