import { type EditedObject, isSame, keyOf, type ObjectKind, type StoredObject } from './edited-object.js';
import { FrameKeys } from './frame-keys.js';
import { History, type Operation } from './history.js';

/** An unsaved annotation, in its state when the save began. */
export interface Unsaved {
  readonly key: string;
  readonly id: number | null;
  readonly object: EditedObject;
}

/** An annotation that the server has saved. */
export interface Saved {
  readonly key: string;
  readonly id: number;
  /** The state that was sent. */
  readonly sent: EditedObject;
  /** The state that the server returned, which may have completed missing values. */
  readonly object: EditedObject;
}

/** Unsaved changes, by the action of the request that saves them. */
export interface UnsavedChanges {
  readonly create: readonly Unsaved[];
  readonly update: readonly Unsaved[];
  readonly delete: readonly Unsaved[];
}

/** An unsaved change, in the form in which the browser stores it. */
export interface StoredChange {
  readonly key: string;
  readonly id: number | null;
  /** The server's state when the change was stored; undefined: not on the server. */
  readonly base: EditedObject | undefined;
  /** Undefined: deleted. */
  readonly object: EditedObject | undefined;
}

/** An annotation that two users changed differently. It is not saved until the user has settled the conflict. */
export interface Conflict {
  readonly key: string;
  /** Undefined: deleted. */
  readonly mine: EditedObject | undefined;
  readonly theirs: EditedObject | undefined;
}

/**
 * The annotations of a job in the editor: their current state, the state on the server, and the undo history. Every change
 * is an operation that can be undone.
 */
export class AnnotationDocument {
  private readonly current = new Map<string, EditedObject>();
  /** The state on the server, by key. */
  private readonly stored = new Map<string, EditedObject>();
  private readonly ids = new Map<string, number>();
  private readonly changed = new Set<string>();
  private readonly keys = new FrameKeys();
  /** Conflicts by key: the server's state before and after the other user's change. */
  private readonly disputed = new Map<string, Record<'base' | 'theirs', EditedObject | undefined>>();
  private readonly history = new History();

  constructor(objects: Iterable<StoredObject> = []) {
    for (const { id, object } of objects) this.addStored(keyOf(object.kind, id), id, object);
  }

  get(key: string): EditedObject | undefined {
    return this.current.get(key);
  }

  /** The id on the server; undefined if it has never been saved. */
  idOf(key: string): number | undefined {
    return this.ids.get(key);
  }

  /** The highest id of each kind on the server, as far as they are known. */
  newestIds(): Record<ObjectKind, number> {
    const newest = { tag: 0, shape: 0, track: 0 };
    for (const [key, id] of this.ids) {
      const kind = kindOf(this.stored.get(key));
      newest[kind] = Math.max(newest[kind], id);
    }
    return newest;
  }

  /** All annotations in the order of their creation. */
  entries(): Iterable<[string, EditedObject]> {
    return this.current.entries();
  }

  /**
   * Tags and shapes of a frame, and tracks: whether a track is on the frame depends on its keyframes.
   * @param tracks keys of the tracks that are wanted
   */
  *at(frame: number, tracks: Iterable<string> = this.keys.tracks): Generator<[string, EditedObject]> {
    for (const keys of [this.keys.at(frame), tracks]) {
      for (const key of keys) {
        const object = this.current.get(key);
        if (object !== undefined) yield [key, object];
      }
    }
  }

  /** Frames with tags, shapes or keyframes. */
  annotatedFrames(): Set<number> {
    const frames = new Set(this.keys.used());
    for (const key of this.keys.tracks) {
      const track = this.current.get(key);
      if (track?.kind !== 'track') continue;
      for (const { shapes } of [track.value, ...track.value.elements])
        for (const { frame } of shapes) frames.add(frame);
    }
    return frames;
  }

  get size(): number {
    return this.current.size;
  }

  get hasUnsaved(): boolean {
    return this.changed.size > 0;
  }

  /** Conflicts that are not settled, with the current local version. */
  get conflicts(): Conflict[] {
    return Array.from(this.disputed, ([key, { theirs }]) => ({ key, mine: this.current.get(key), theirs }));
  }

  /** The operation that undo reverts, and the one that redo repeats. */
  get next(): History['next'] {
    return this.history.next;
  }

  /**
   * Applies changes and adds them to the undo history.
   * @throws Error if the current state of an annotation is not its `before`
   */
  apply(operation: Operation): void {
    for (const { key, before } of operation.changes) {
      if (this.current.get(key) !== before) throw new Error(`The operation is for another state of ${key}.`);
    }
    if (operation.changes.length === 0) return;
    for (const { key, after } of operation.changes) this.put(key, after);
    this.history.add(operation);
  }

  /** Replaces annotations in one operation. An annotation whose value is undefined is deleted. */
  change(title: string, objects: Iterable<readonly [string, EditedObject | undefined]>): void {
    const changes = Array.from(objects, ([key, after]) => ({ key, before: this.current.get(key), after }));
    this.apply({ title, changes: changes.filter(({ before, after }) => !isSame(before, after)) });
  }

  /**
   * Runs several changes as one operation.
   * @returns whether it changed anything
   */
  together(run: () => void): boolean {
    return this.history.together(run);
  }

  /** Reverts the last operation. @returns it, or undefined if there is none */
  undo(): Operation | undefined {
    const operation = this.history.undo();
    for (const { key, before } of operation?.changes.toReversed() ?? []) this.put(key, before);
    return operation;
  }

  /** Repeats the operation that was undone last. @returns it, or undefined if there is none */
  redo(): Operation | undefined {
    const operation = this.history.redo();
    for (const { key, after } of operation?.changes ?? []) this.put(key, after);
    return operation;
  }

  /** The changes to save: all except conflicts, which would overwrite the work of others. */
  unsaved(): UnsavedChanges {
    const changes = { create: [] as Unsaved[], update: [] as Unsaved[], delete: [] as Unsaved[] };
    for (const key of this.changed) {
      if (this.disputed.has(key)) continue;
      const [object, stored, id] = [this.current.get(key), this.stored.get(key), this.ids.get(key) ?? null];
      if (object === undefined) {
        if (stored !== undefined) changes.delete.push({ key, id, object: stored });
      } else if (stored === undefined) changes.create.push({ key, id: null, object });
      else changes.update.push({ key, id, object });
    }
    return changes;
  }

  /** Records that the server has saved annotations. Changes made since they were sent stay unsaved. */
  markSaved(saved: Iterable<Saved>): void {
    for (const { key, id, sent, object } of saved) {
      this.stored.set(key, object);
      this.ids.set(key, id);
      if (this.current.get(key) === sent) this.put(key, object);
      else this.compare(key);
    }
  }

  /** Records that the server has deleted annotations. If undo restores one, its next save gives it a new id. */
  markDeleted(keys: Iterable<string>): void {
    for (const key of keys) {
      this.stored.delete(key);
      this.ids.delete(key);
      this.compare(key);
    }
  }

  /**
   * Merges what other users have saved, except for annotations that are also changed here.
   * @param objects all annotations that the server has now
   * @param held key of an annotation that is being edited, and counts as changed here
   * @returns new conflicts: annotations that both sides changed differently. They keep their local state until they are
   *   settled
   */
  merge(objects: Iterable<StoredObject>, held?: string): Conflict[] {
    const keys = new Map(Array.from(this.ids, ([key, id]) => [keyOf(kindOf(this.stored.get(key)), id), key]));
    const found = new Set<string>();
    const foreign = new Set<string>();
    const conflicts: Conflict[] = [];
    const take = (key: string, theirs: EditedObject | undefined): void => {
      if (isSame(this.stored.get(key), theirs)) return;
      foreign.add(key);
      if (this.take(key, theirs, key === held)) conflicts.push({ key, mine: this.current.get(key), theirs });
    };
    for (const { id, object } of objects) {
      const name = keyOf(object.kind, id);
      const key = keys.get(name) ?? name;
      found.add(key);
      this.ids.set(key, id);
      take(key, object);
    }
    for (const key of this.stored.keys()) if (!found.has(key)) take(key, undefined);
    this.history.forget(foreign);
    return conflicts;
  }

  /** Stores the new version of the server, and shows it unless the annotation is changed here. @returns whether it is in conflict */
  private take(key: string, theirs: EditedObject | undefined, isHeld: boolean): boolean {
    const base = this.disputed.get(key)?.base ?? this.stored.get(key);
    const isMine = this.changed.has(key) || isHeld;
    if (theirs === undefined) {
      this.stored.delete(key);
      this.ids.delete(key);
    } else this.stored.set(key, theirs);
    if (!isMine) this.put(key, theirs);
    else this.disputed.set(key, { base, theirs });
    this.compare(key); // ends the conflict if both versions are the same
    return this.disputed.has(key);
  }

  /**
   * The unsaved changes, for the browser to store until the page is opened again.
   * @param draft an annotation that is still being drawn, and its key
   * @param sent keys of annotations in a request without a response. They may differ from what it saves
   */
  unsavedForStorage(draft?: readonly [string, EditedObject], sent: Iterable<string> = []): StoredChange[] {
    const keys = new Set([...this.changed, ...sent]);
    if (draft !== undefined) keys.add(draft[0]);
    return Array.from(keys, (key) => ({
      key,
      id: this.ids.get(key) ?? null,
      // Of a conflict, the page that restores it must know the version from before the other user's change.
      base: this.disputed.has(key) ? this.disputed.get(key)?.base : this.stored.get(key),
      object: key === draft?.[0] ? draft[1] : this.current.get(key),
    }));
  }

  /**
   * Applies stored changes again, as one operation.
   * @returns conflicts: annotations that other users have changed since. They have the stored state until they are settled
   */
  restore(changes: readonly StoredChange[]): Conflict[] {
    const disputed: [string, Record<'base' | 'theirs', EditedObject | undefined>][] = [];
    const objects = changes.map(({ key: oldKey, id, base, object }) => {
      const kind = (object ?? base)?.kind ?? 'shape';
      const key = id === null ? oldKey : keyOf(kind, id);
      const theirs = this.current.get(key);
      if (!isSame(theirs, base) && !isSame(theirs, object)) disputed.push([key, { base, theirs }]);
      return [key, object] as const;
    });
    this.change('Restore unsaved changes', objects);
    for (const [key, dispute] of disputed) this.disputed.set(key, dispute);
    return this.conflicts;
  }

  /** Settles a conflict: keeps the local version, or replaces it by the other one as a new operation. */
  settle({ key, theirs }: Conflict, keep: 'mine' | 'theirs'): void {
    this.disputed.delete(key);
    if (keep === 'theirs') this.change('Use their version', [[key, theirs]]);
  }

  /**
   * Ends the editing of an annotation that was held. If it was not changed here after all, the version of the server is
   * shown, and there is no conflict.
   * @returns whether that changed anything
   */
  release(key: string): boolean {
    const dispute = this.disputed.get(key);
    if (dispute === undefined || !isSame(this.current.get(key), dispute.base)) return false;
    this.disputed.delete(key);
    this.put(key, dispute.theirs);
    return true;
  }

  private addStored(key: string, id: number, object: EditedObject): void {
    this.stored.set(key, object);
    this.ids.set(key, id);
    this.put(key, object);
  }

  private put(key: string, object: EditedObject | undefined): void {
    const before = this.current.get(key);
    if (before !== undefined) this.keys.remove(key, before);
    if (object === undefined) this.current.delete(key);
    else {
      this.current.set(key, object);
      this.keys.add(key, object);
    }
    this.compare(key);
  }

  private compare(key: string): void {
    if (isSame(this.current.get(key), this.stored.get(key))) {
      this.changed.delete(key);
      this.disputed.delete(key);
    } else this.changed.add(key);
  }
}

const kindOf = (object: EditedObject | undefined): ObjectKind => object?.kind ?? 'shape';
