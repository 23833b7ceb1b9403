const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for at least this long is restarted without delay. */
const STABLE_MS = 60_000;

/** Growing pauses between the starts of a process that fails repeatedly. */
export class RestartPauses {
  private next = FIRST_PAUSE_MS;

  /** @param ranMs how long the process ran before it failed @returns milliseconds to wait */
  after(ranMs: number): number {
    if (ranMs > STABLE_MS) {
      this.next = FIRST_PAUSE_MS;
      return 0;
    }
    const pause = this.next;
    this.next = Math.min(pause * 2, LONGEST_PAUSE_MS);
    return pause;
  }
}
