import { unwrap } from 'cairn-client';
import type { Saved, StoredChange } from '#shared/annotations/editing/document';
import { isSame, storedObjects } from '#shared/annotations/editing/edited-object';
import type { LabeledData } from '#shared/annotations/model';
import { readAnnotations } from '../data/annotation-state';
import { deletedBy, isOutdated, isRefused, type Save, savedBy, savedObjects, sendSave, wasProcessed } from './save';

const CONFLICT = 409;
const RETRY_MS = 300;
const MAX_ATTEMPTS = 40;

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
      ? withoutDeleted(
          changes,
          save.objects.map(({ key }) => key),
        )
      : without(changes, savedObjects(save.objects, data));
  } catch (error) {
    if (wasProcessed(error) || isOutdated(error)) {
      const objects = storedObjects((await readAnnotations(jobId)).data);
      return save.action === 'delete'
        ? withoutDeleted(changes, deletedBy(save, objects))
        : without(changes, savedBy(save, objects));
    }
    if (isRefused(error)) return without(changes, []);
    throw error;
  }
}

/** @returns the changes that a request has not saved */
function without(changes: readonly StoredChange[], saved: readonly Saved[]): readonly StoredChange[] {
  const found = new Map(saved.map((one) => [one.key, one]));
  return changes.flatMap((change) => {
    const one = found.get(change.key);
    if (one === undefined) return isSame(change.object, change.base) ? [] : [change];
    return isSame(change.object, one.sent) ? [] : [{ ...change, id: one.id, base: one.object }];
  });
}

/** @returns the changes without objects that were deleted. Those that were restored since are created again */
function withoutDeleted(changes: readonly StoredChange[], deleted: readonly string[]): readonly StoredChange[] {
  const gone = new Set(deleted);
  return changes.flatMap((change) => {
    if (!gone.has(change.key)) return without([change], []);
    return change.object === undefined ? [] : [{ ...change, id: null, base: undefined }];
  });
}

/** Waits while the server still processes the same request of an earlier page. */
async function withRetries(jobId: number, save: Save): ReturnType<typeof sendSave> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendSave(jobId, save);
    if (response.response.status !== CONFLICT || attempt === MAX_ATTEMPTS) return response;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
