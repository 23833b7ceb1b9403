/** What can be told of a request at work. */
interface State {
  readonly message: string;
  readonly progress: number;
}

/**
 * Writes what a handler tells of its work: the newest state only, one write at a time, progress in whole per cents. A
 * handler may tell as often as it likes.
 */
export class ProgressReport {
  private told: State = { message: '', progress: 0 };
  private written: State = this.told;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly write: (state: State) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  say(message: string): void {
    this.tell({ ...this.told, message });
  }

  progress(done: number): void {
    const progress = Math.floor(Math.min(1, Math.max(0, done)) * 100) / 100;
    this.tell({ ...this.told, progress });
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private tell(state: State): void {
    if (state.message === this.told.message && state.progress === this.told.progress) return;
    this.told = state;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  private async writeAll(): Promise<void> {
    while (this.written !== this.told) {
      const state = this.told;
      try {
        await this.write(state);
      } catch (error) {
        this.onError(error);
      }
      this.written = state;
    }
  }
}
