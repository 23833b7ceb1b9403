import pLimit from 'p-limit';
import type { Logger } from '../logging/logger.js';
import type { Letter } from './letter.js';

/** Pauses before each retry. */
const RETRY_MS = [10_000, 60_000, 300_000];
const MAX_LETTERS = 1000;
const AT_A_TIME = 4;
/** How long shutdown waits for letters that are being sent. */
const STOP_TIMEOUT_MS = 5_000;

export interface LetterQueueOptions {
  /** Delivers the letter, or rejects. */
  readonly deliver: (letter: Letter) => Promise<void>;
  /** Whether a retry is pointless. */
  readonly isFinal: (error: unknown) => boolean;
  readonly log: Logger;
  readonly retryMs?: readonly number[];
}

/**
 * Sends letters in the background of the requests that cause them, and retries failures. The queue is only in memory:
 * letters still pending at shutdown are lost and logged.
 */
export class LetterQueue {
  private readonly limited = pLimit(AT_A_TIME);
  private readonly underWay = new Set<Promise<void>>();
  private readonly waiting = new Map<NodeJS.Timeout, Letter>();
  private readonly retryMs: readonly number[];
  private stopped = false;

  constructor(private readonly options: LetterQueueOptions) {
    this.retryMs = options.retryMs ?? RETRY_MS;
  }

  add(letter: Letter): void {
    if (this.stopped) this.giveUp(letter, 'the server is being stopped');
    else if (this.underWay.size + this.waiting.size >= MAX_LETTERS) this.giveUp(letter, 'too many letters are waiting');
    else this.begin(letter, 0);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const [timer, letter] of this.waiting) {
      clearTimeout(timer);
      this.giveUp(letter, 'the server was stopped before the next try');
    }
    this.waiting.clear();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(this.underWay), timeout]);
    clearTimeout(timer);
  }

  /** @param failures failed attempts so far */
  private begin(letter: Letter, failures: number): void {
    const attempt = this.limited(() => this.options.deliver(letter))
      .catch((error: unknown) => this.afterFailure(letter, failures, error))
      .finally(() => this.underWay.delete(attempt));
    this.underWay.add(attempt);
  }

  private afterFailure(letter: Letter, failures: number, error: unknown): void {
    const { log, isFinal } = this.options;
    const pause = this.stopped || isFinal(error) ? undefined : this.retryMs[failures];
    if (pause === undefined) {
      this.giveUp(letter, error instanceof Error ? error.message : String(error));
      return;
    }
    log.warn({ err: error, to: letter.to }, `"${letter.subject}" could not be sent; trying again in ${pause / 1000} s`);
    const timer = setTimeout(() => {
      this.waiting.delete(timer);
      this.begin(letter, failures + 1);
    }, pause);
    this.waiting.set(timer, letter);
  }

  private giveUp(letter: Letter, reason: string): void {
    this.options.log.error({ to: letter.to }, `"${letter.subject}" was not sent: ${reason}`);
  }
}
