import pLimit from 'p-limit';
import type { Logger } from '../logging/logger.js';

/** A message for an e-mail: a page to open, and why. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  /** The reason, if the subject is not enough. */
  readonly reason?: string;
  /** What opening the page does. */
  readonly request?: string;
  /** Path and query of the page. The mailer prefixes the configured public URL, never the host of a request. */
  readonly path: string;
  /** Why this person receives the letter, or another closing remark. */
  readonly closing?: string;
}

/** A message with the full URL of its page, ready to send. */
export interface Letter extends Omit<Message, 'path'> {
  readonly link: string;
}

const GO_ON = 'Open this address to go on:';
const UNEXPECTED = 'If you did not expect this letter, you need not do anything.';

/** The text of the e-mail. */
export function letterText({ subject, reason, request = GO_ON, link, closing = UNEXPECTED }: Letter): string {
  const paragraphs = [subject, ...(reason === undefined ? [] : [reason]), request, link, closing];
  return `${paragraphs.join('\n\n')}\n`;
}

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
