import { del, get, set } from 'idb-keyval';
import type { KeptChange } from '#shared/annotations/editing/document';
import type { Save } from './saver';

/** Unsaved work of a user in a job. */
export interface UnsavedWork {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly changes: readonly KeptChange[];
  /** A request whose response has not arrived. */
  readonly pending: Save | undefined;
}

/** Keeps unsaved annotations in the browser, so that a closed tab or a crash loses nothing. */
export class UnsavedStore {
  private readonly key: string;
  /** Writes happen one after the other, so that an older state never replaces a newer one. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(userId: number, jobId: number) {
    this.key = `unsaved annotations of user ${userId} in job ${jobId}`;
  }

  read(): Promise<UnsavedWork | undefined> {
    return get<UnsavedWork>(this.key);
  }

  /** @throws DOMException if the browser refuses to store more */
  write(work: UnsavedWork): Promise<void> {
    const isEmpty = work.changes.length === 0 && work.pending === undefined;
    const done = this.last.then(() => (isEmpty ? del(this.key) : set(this.key, work)));
    this.last = done.catch(() => undefined);
    return done;
  }
}
