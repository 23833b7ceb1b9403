// One request of the saver, and what it has saved.
import { CairnError } from 'cairn-client';
import type { Saved, Unsaved } from '#shared/annotations/editing/document';
import {
  type EditedObject,
  isStoredAs,
  keyOf,
  labeledData,
  type StoredObject,
  storedObjects,
} from '#shared/annotations/editing/edited-object';
import type { AnnotationAction, LabeledData } from '#shared/annotations/model';
import { api } from '../../../app/api';

/** One request. It is repeated with the same idempotency key until the server responds. */
export interface Save {
  readonly action: AnnotationAction;
  readonly objects: readonly Unsaved[];
  readonly key: string;
  readonly etag: string;
  /** The highest id of each kind that the page knew. What the request creates has higher ones. */
  readonly newest?: Readonly<Record<EditedObject['kind'], number>>;
}

const UNAUTHORIZED = 401;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;
const TOO_MANY_REQUESTS = 429;

/** Sends a save. */
export const sendSave = (jobId: number, { action, objects, key, etag }: Save, signal?: AbortSignal) =>
  api.PATCH('/api/jobs/{id}/annotations/', {
    params: { path: { id: jobId }, query: { action } },
    headers: { 'Idempotency-Key': key, 'If-Match': etag },
    body: labeledData(objects) as never,
    ...(signal === undefined ? {} : { signal }),
  });

/**
 * Whether it is certain that the server will not process the request any more. After a failure of the server or of a
 * proxy, or while the server still processes it, the request has to be repeated with the same key.
 */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.status >= 500) return false;
  return error.status === CONFLICT ? wasProcessed(error) : !isUnread(error);
}

/** Whether the server has refused to look at the request. It may have processed it when it was sent before. */
const isUnread = ({ status, message }: CairnError): boolean =>
  status === UNAUTHORIZED || status === TOO_MANY_REQUESTS || /CSRF Failed/.test(message);

/**
 * Whether the server has processed the request, but its response was lost, as after a crash, or belongs to a body that an
 * earlier version of the app wrote in another way.
 */
export const wasProcessed = (error: unknown): boolean =>
  error instanceof CairnError && error.status === CONFLICT && /was lost|was used for another/.test(error.message);

/**
 * Whether somebody has saved since. If the request is repeated, that was possibly itself: the server forgets keys after a
 * day, and a key belongs to the user who is logged in.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof CairnError && error.status === PRECONDITION_FAILED;

/** @returns the keys of the objects that a request has deleted, or that are gone anyway, by the objects of the server */
export function deletedBy({ objects }: Save, stored: readonly StoredObject[]): string[] {
  const left = new Set(stored.map(({ id, object }) => keyOf(object.kind, id)));
  return objects.filter(({ id, object }) => id === null || !left.has(keyOf(object.kind, id))).map(({ key }) => key);
}

/** @returns what a request has saved, by the objects of the server */
export function savedBy({ action, objects, newest }: Save, stored: readonly StoredObject[]): Saved[] {
  if (action === 'create') {
    return createdObjects(
      objects,
      stored.filter(({ id, object }) => id > (newest?.[object.kind] ?? 0)),
    );
  }
  const found = new Map(stored.map(({ id, object }) => [keyOf(object.kind, id), object]));
  return objects.flatMap(({ key, id, object: sent }) => {
    const object = id === null ? undefined : found.get(keyOf(sent.kind, id));
    return id === null || object === undefined || !isStoredAs(sent, object) ? [] : [{ key, id, sent, object }];
  });
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
export function savedObjects(sent: readonly Unsaved[], data: LabeledData): Saved[] {
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
