import { del, delMany, get, keys, set } from 'idb-keyval';
import type { StoredChange } from '#shared/annotations/editing/document';
import { isSame, keyOf } from '#shared/annotations/editing/edited-object';
import { randomId } from '../../../app/random-id';
import { LatestWrite } from './latest-write';
import type { Save } from './save';
import { hold, ifFree } from './slot-lock';

/** Unsaved work of a user in a job. */
export interface UnsavedWork {
  readonly changes: readonly StoredChange[];
  /** A request whose response has not arrived. */
  readonly pending: Save | undefined;
}

/**
 * Keeps unsaved annotations in the browser, so that a closed tab or a crash loses nothing. Every page has a slot of its
 * own, which is locked while the page lives: another tab with the same job must not take over what is still being edited.
 */
export class UnsavedStore {
  private readonly prefix: string;
  /** Names the slot of this page. */
  readonly slot: string;
  private readonly writing = new LatestWrite<UnsavedWork>((work) => {
    const isEmpty = work.changes.length === 0 && work.pending === undefined;
    return isEmpty ? del(this.slot) : set(this.slot, work);
  });
  private unlock: () => void = () => undefined;
  /** Whether there is an editor, which closes the store after its last save. */
  isEdited = false;

  constructor(userId: number, jobId: number) {
    this.prefix = prefixOf(userId, jobId);
    this.slot = this.prefix + randomId();
  }

  /** Locks the slot of this page. */
  open(): void {
    this.unlock = hold(this.slot);
  }

  /** Leaves what is still unsaved to the next page. */
  close(): void {
    this.unlock();
  }

  /** For a page that is left before its annotations are loaded. */
  closeUnlessEdited(): void {
    if (!this.isEdited) this.close();
  }

  /**
   * Moves the work of closed pages to the slot of this one. If two of them have changed an object differently, one of them
   * stays where it is: when this one is saved, the next page asks which version to keep.
   * @param complete completes a pending request. @returns the changes that are still unsaved
   */
  async takeOver(complete: (work: UnsavedWork) => Promise<readonly StoredChange[]>): Promise<readonly StoredChange[]> {
    // An earlier attempt to load the page has possibly moved some already.
    const names = await slots(this.prefix);
    const own = names.includes(this.slot) ? await get<UnsavedWork>(this.slot) : undefined;
    const changes = new Map(own?.changes.map((change) => [nameOf(change), change]));
    for (const key of names) {
      if (key === this.slot) continue;
      await ifFree(key, async () => {
        const work = await get<UnsavedWork>(key);
        if (work === undefined) return;
        const left = await complete(work);
        if (left.some((change) => differs(change, changes.get(nameOf(change)))))
          return set(key, { changes: left, pending: undefined });
        for (const change of left) changes.set(nameOf(change), change);
        await this.write(() => ({ changes: [...changes.values()], pending: undefined }));
        await del(key);
      });
    }
    return [...changes.values()];
  }

  /**
   * @param work called when the browser is ready to store it: operations can follow each other more quickly
   * @throws DOMException if the browser refuses to store more
   */
  write(work: () => UnsavedWork): Promise<void> {
    return this.writing.write(work);
  }
}

/** Two pages have different keys for an object that one of them has created. */
const nameOf = ({ key, id, base, object }: StoredChange): string =>
  id === null ? key : keyOf((object ?? base)?.kind ?? 'shape', id);

const differs = (change: StoredChange, other: StoredChange | undefined): boolean =>
  other !== undefined && !isSame(change.object, other.object);

/** The names of the slots of a user in a job. A browser that cannot store anything, as when the disk is full, has none. */
async function slots(prefix: string): Promise<readonly string[]> {
  try {
    return (await keys<string>()).filter((key) => key.startsWith(prefix));
  } catch {
    return []; // the first change that cannot be stored shows why
  }
}

const prefixOf = (userId: number, jobId: number): string =>
  `unsaved annotations of user ${userId} in job ${jobId}, page `;

/** Whether there is unsaved work of a user in a job, of closed pages or of others that are open. */
export async function hasUnsavedWork(userId: number, jobId: number): Promise<boolean> {
  return (await slots(prefixOf(userId, jobId))).length > 0;
}

/** What closed pages of a user have left unsaved in a job. */
export interface AbandonedWork {
  readonly changes: readonly StoredChange[];
  readonly slots: readonly string[];
}

/** Reads what closed pages have left unsaved in a job that cannot be opened any more. */
export async function abandonedWork(userId: number, jobId: number): Promise<AbandonedWork> {
  const changes: StoredChange[] = [];
  const found: string[] = [];
  for (const key of await slots(prefixOf(userId, jobId))) {
    await ifFree(key, async () => {
      const work = await get<UnsavedWork>(key);
      if (work === undefined) return;
      changes.push(...work.changes);
      found.push(key);
    });
  }
  return { changes, slots: found };
}

export const discardWork = (names: readonly string[]): Promise<void> => delMany([...names]);
