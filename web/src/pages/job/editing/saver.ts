import { CairnError, unwrap } from 'cairn-client';
import type {
  AnnotationDocument,
  Conflict,
  StoredChange,
  Saved,
  Unsaved,
  UnsavedChanges,
} from '#shared/annotations/editing/document';
import { type EditedObject, isSame, labeledData, storedObjects } from '#shared/annotations/editing/edited-object';
import type { AnnotationAction, LabeledData } from '#shared/annotations/model';
import { api } from '../../../app/api';
import { randomId } from '../../../app/random-id';
import { readAnnotations } from '../data/annotation-state';

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed';

interface SaverEvents {
  /** A request is about to be sent. */
  onPending(): void;
  /** The document has new ids, or annotations of other users. */
  onDocument(): void;
  onState(state: SaveState, error: unknown): void;
  /** Annotations of other users were merged; `conflicts` are those that this user has changed, too. */
  onMerged(conflicts: readonly Conflict[]): void;
}

/** One request. It is repeated with the same idempotency key until the server responds. */
export interface Save {
  readonly action: AnnotationAction;
  readonly objects: readonly Unsaved[];
  readonly key: string;
  readonly etag: string;
}

const ACTIONS = ['delete', 'update', 'create'] as const satisfies readonly (keyof UnsavedChanges)[];
const PRECONDITION_FAILED = 412;
const CONFLICT = 409;
const RETRY_MS = 300;
const MAX_ATTEMPTS = 40;

/**
 * Sends the unsaved changes of a document, with one request for each action. The server refuses a request if somebody else
 * has saved since. Then the saver merges their annotations and sends the changes again.
 */
export class Saver {
  private running: Promise<void> | undefined;
  private pendingSave: Save | undefined;

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

  /** Saves all changes, including those made while it runs. @throws CairnError if the server refuses, or ServerAway */
  save(): Promise<void> {
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<void> {
    if (!this.document.hasUnsaved) return;
    this.events.onState('saving', null);
    try {
      for (let save = this.next(); save !== undefined; save = this.next()) await this.send(save);
      this.events.onState('saved', null);
    } catch (error) {
      this.events.onState('failed', error);
      throw error;
    }
  }

  private next(): Save | undefined {
    if (this.pendingSave !== undefined) return this.pendingSave;
    const changes = this.document.unsaved();
    const action = ACTIONS.find((name) => changes[name].length > 0);
    return action && { action, objects: changes[action], key: randomId(), etag: this.etag };
  }

  private async send(save: Save): Promise<void> {
    this.pendingSave = save;
    this.events.onPending();
    try {
      const response = await request(this.jobId, save);
      const data = unwrap(response) as LabeledData;
      this.etag = response.response.headers.get('ETag') ?? this.etag;
      this.pendingSave = undefined;
      if (save.action === 'delete') this.document.markDeleted(save.objects.map(({ key }) => key));
      else this.document.markSaved(savedObjects(save.objects, data));
    } catch (error) {
      if (isRefused(error)) this.pendingSave = undefined;
      if (!(error instanceof CairnError) || error.status !== PRECONDITION_FAILED) throw error;
      await this.refresh();
    }
    this.events.onDocument();
  }

  /** Merges what other users have saved. */
  async refresh(): Promise<void> {
    const { data, etag } = await readAnnotations(this.jobId);
    this.etag = etag;
    this.events.onMerged(this.document.merge(storedObjects(data)));
  }
}

const request = (jobId: number, { action, objects, key, etag }: Save) =>
  api.PATCH('/api/jobs/{id}/annotations/', {
    params: { path: { id: jobId }, query: { action } },
    headers: { 'Idempotency-Key': key, 'If-Match': etag },
    body: labeledData(objects) as never,
  });

/** Waits while the server still processes the same request of an earlier page. */
async function patiently(jobId: number, save: Save): ReturnType<typeof request> {
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
  return error.status !== CONFLICT || /was lost/.test(error.message);
}

/**
 * Repeats the last request of an earlier page, whose response never arrived. Its idempotency key ensures that the server
 * processes it only once.
 * @returns the changes that are still unsaved
 * @throws ServerAway
 */
export async function completed(
  jobId: number,
  changes: readonly StoredChange[],
  save: Save,
): Promise<readonly StoredChange[]> {
  try {
    const data = unwrap(await patiently(jobId, save)) as LabeledData;
    const saved = new Map(
      save.action === 'delete'
        ? save.objects.map(({ key }) => [key, undefined])
        : savedObjects(save.objects, data).map((one) => [one.key, one]),
    );
    return changes.flatMap((change) => {
      const one = saved.get(change.key);
      if (!saved.has(change.key) || (one === undefined && change.object !== undefined)) return [change];
      if (one === undefined || isSame(change.object, one.sent)) return [];
      return [{ ...change, id: one.id, base: one.object }];
    });
  } catch (error) {
    if (isRefused(error)) return changes;
    throw error;
  }
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
