/**
 * Writes a state that changes faster than it can be written: one write at a time, and while it runs, all later calls share
 * the next one. Writes are sequential, so that an older state never replaces a newer one.
 */
export class LatestWrite<State> {
  private last: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;
  private read: (() => State) | undefined;

  constructor(private readonly store: (state: State) => Promise<void>) {}

  /**
   * @param read called when the write begins
   * @returns resolves when the state of now, or a later one, is written
   */
  write(read: () => State): Promise<void> {
    this.read = read;
    if (this.next !== undefined) return this.next;
    const next = this.last.then(() => {
      this.next = undefined;
      return this.store((this.read ?? read)());
    });
    this.next = next;
    this.last = next.catch(() => undefined);
    return next;
  }
}
