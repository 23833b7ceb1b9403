import type { EditedObject } from './edited-object.js';

/** The states of one annotation before and after a change; undefined: it does not exist. */
export interface Change {
  readonly key: string;
  readonly before: EditedObject | undefined;
  readonly after: EditedObject | undefined;
}

/** Changes that are applied and undone together. */
export interface Operation {
  /** For the undo menu, such as "Move rectangle". */
  readonly title: string;
  readonly changes: readonly Change[];
}

/** The operations that can be undone and repeated. */
export class History {
  private readonly done: Operation[] = [];
  private readonly undone: Operation[] = [];

  /** The operation that undo reverts, and the one that redo repeats. */
  get next(): { readonly undo: Operation | undefined; readonly redo: Operation | undefined } {
    return { undo: this.done.at(-1), redo: this.undone.at(-1) };
  }

  /** Adds an operation. What was undone before can no longer be repeated. */
  add(operation: Operation): void {
    this.done.push(operation);
    this.undone.length = 0;
  }

  /**
   * Makes the operations that are added while a function runs one operation, with the title of the last one.
   * @returns whether there is one
   */
  together(run: () => void): boolean {
    const from = this.done.length;
    run();
    const operations = this.done.splice(from);
    const last = operations.at(-1);
    if (last === undefined) return false;
    const changes = new Map<string, Change>();
    for (const change of operations.flatMap((operation) => operation.changes)) {
      const { key, after } = change;
      const earlier = changes.get(key);
      changes.set(key, earlier === undefined ? change : { key, before: earlier.before, after });
    }
    this.done.push({ title: last.title, changes: [...changes.values()] });
    return true;
  }

  /** @returns the operation to revert, or undefined if there is none */
  undo(): Operation | undefined {
    const operation = this.done.pop();
    if (operation !== undefined) this.undone.push(operation);
    return operation;
  }

  /** @returns the operation to repeat, or undefined if there is none */
  redo(): Operation | undefined {
    const operation = this.undone.pop();
    if (operation !== undefined) this.done.push(operation);
    return operation;
  }

  /** Removes annotations that other users have changed, so that undo does not overwrite their work. */
  forget(keys: ReadonlySet<string>): void {
    for (const history of [this.done, this.undone]) {
      const kept = history
        .map(({ title, changes }) => ({ title, changes: changes.filter(({ key }) => !keys.has(key)) }))
        .filter(({ changes }) => changes.length > 0);
      history.splice(0, history.length, ...kept);
    }
  }
}
