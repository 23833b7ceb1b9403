import type { Progress } from '../cvat-import/progress.js';
import { progressText } from '../cvat-import/progress.js';

const TERMINAL_EVERY_MS = 250;
const LOG_EVERY_MS = 10_000;
/** Returns to the start of the line and clears it. */
const ANEW = '\r\u001B[2K';

/** Shows progress: on a terminal, one line that changes; elsewhere, a line every few seconds. */
export class ProgressLine {
  private step: Progress['step'] | undefined;
  private stepBegan = 0;
  private shownAt = 0;
  private isShown = false;

  constructor(
    private readonly stream: { readonly isTTY?: boolean | undefined; write(text: string): unknown },
    private readonly now: () => number,
  ) {
    this.shownAt = now();
  }

  update(progress: Progress): void {
    const now = this.now();
    if (progress.step !== this.step) {
      this.step = progress.step;
      this.stepBegan = now;
    }
    const isTerminal = this.stream.isTTY === true;
    if (now - this.shownAt < (isTerminal ? TERMINAL_EVERY_MS : LOG_EVERY_MS)) return;
    this.shownAt = now;
    const text = progressText(progress, (now - this.stepBegan) / 1000);
    this.stream.write(isTerminal ? `${ANEW}${text}` : `${text}\n`);
    this.isShown = isTerminal;
  }

  /** Removes the line from a terminal. */
  end(): void {
    if (this.isShown) this.stream.write(ANEW);
    this.isShown = false;
  }
}
