import { del, get, keys, set } from 'idb-keyval';
import type { StoredChange } from '#shared/annotations/editing/document';
import { randomId } from '../../../app/random-id';
import type { Save } from './saver';

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
  /** Writes are sequential, so that an older state never replaces a newer one. */
  private last: Promise<unknown> = Promise.resolve();
  private unlock: () => void = () => undefined;
  /** Whether there is an editor, which closes the store after its last save. */
  isEdited = false;

  constructor(userId: number, jobId: number) {
    this.prefix = `unsaved annotations of user ${userId} in job ${jobId}, page `;
    this.slot = this.prefix + randomId();
  }

  /** Locks the slot of this page. Browsers have locks on pages with HTTPS or of this machine only. */
  open(): void {
    void locks()?.request(this.slot, () => new Promise<void>((resolve) => (this.unlock = resolve)));
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
   * Moves the work of closed pages to the slot of this one.
   * @param complete completes a pending request. @returns the changes that are still unsaved
   */
  async takeOver(complete: (work: UnsavedWork) => Promise<readonly StoredChange[]>): Promise<readonly StoredChange[]> {
    const changes = new Map<string, StoredChange>();
    for (const key of await keys<string>()) {
      if (!key.startsWith(this.prefix) || key === this.slot) continue;
      await ifUnlocked(key, async () => {
        const work = await get<UnsavedWork>(key);
        if (work === undefined) return;
        for (const change of await complete(work)) changes.set(change.key, change);
        await this.write({ changes: [...changes.values()], pending: undefined });
        await del(key);
      });
    }
    return [...changes.values()];
  }

  /** @throws DOMException if the browser refuses to store more */
  write(work: UnsavedWork): Promise<void> {
    const isEmpty = work.changes.length === 0 && work.pending === undefined;
    const done = this.last.then(() => (isEmpty ? del(this.slot) : set(this.slot, work)));
    this.last = done.catch(() => undefined);
    return done;
  }
}

const locks = (): LockManager | undefined => ('locks' in navigator ? navigator.locks : undefined);

/** Runs `work` unless the page of the slot still lives. */
async function ifUnlocked(slot: string, work: () => Promise<void>): Promise<void> {
  const manager = locks();
  if (manager === undefined) await work();
  else await manager.request(slot, { ifAvailable: true }, (lock) => (lock === null ? undefined : work()));
}
