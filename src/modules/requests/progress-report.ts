/** The state that a running request reports. */
interface State {
  readonly message: string;
  readonly progress: number;
}

/**
 * Writes the progress of a handler: only the latest state, one write at a time, in integer percent. A handler can
 * report as often as it likes.
 */
export class ProgressReport {
  private latest: State = { message: '', progress: 0 };
  private written: State = this.latest;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly write: (state: State) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  say(message: string): void {
    this.update({ ...this.latest, message });
  }

  progress(done: number): void {
    const progress = Math.floor(Math.min(1, Math.max(0, done)) * 100) / 100;
    this.update({ ...this.latest, progress });
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private update(state: State): void {
    if (state.message === this.latest.message && state.progress === this.latest.progress) return;
    this.latest = state;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  private async writeAll(): Promise<void> {
    while (this.written !== this.latest) {
      const state = this.latest;
      try {
        await this.write(state);
      } catch (error) {
        this.onError(error);
      }
      this.written = state;
    }
  }
}
