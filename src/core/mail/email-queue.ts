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
  /** Why this person receives the e-mail, or another closing remark. */
  readonly closing?: string;
}

/** A message with the full URL of its page, ready to send. */
export interface Email extends Omit<Message, 'path'> {
  readonly link: string;
}

const DEFAULT_REQUEST = 'Open this link to continue:';
const UNEXPECTED = 'If you did not expect this e-mail, you can ignore it.';

/** The text of the e-mail. */
export function emailText({ subject, reason, request = DEFAULT_REQUEST, link, closing = UNEXPECTED }: Email): string {
  const paragraphs = [subject, ...(reason === undefined ? [] : [reason]), request, link, closing];
  return `${paragraphs.join('\n\n')}\n`;
}

/** Pauses before each retry. */
const RETRY_MS = [10_000, 60_000, 300_000];
const MAX_EMAILS = 1000;
const AT_A_TIME = 4;
/** How long shutdown waits for e-mails that are being sent. */
const STOP_TIMEOUT_MS = 5_000;

export interface EmailQueueOptions {
  /** Delivers the e-mail, or rejects. */
  readonly deliver: (email: Email) => Promise<void>;
  /** Whether a retry is pointless. */
  readonly isFinal: (error: unknown) => boolean;
  readonly log: Logger;
  readonly retryMs?: readonly number[];
}

/**
 * Sends e-mails in the background of the requests that cause them, and retries failures. The queue is only in memory:
 * e-mails still pending at shutdown are lost and logged.
 */
export class EmailQueue {
  private readonly limited = pLimit(AT_A_TIME);
  private readonly sending = new Set<Promise<void>>();
  private readonly waiting = new Map<NodeJS.Timeout, Email>();
  private readonly retryMs: readonly number[];
  private stopped = false;

  constructor(private readonly options: EmailQueueOptions) {
    this.retryMs = options.retryMs ?? RETRY_MS;
  }

  add(email: Email): void {
    if (this.stopped) this.reportFailure(email, 'the server is stopping');
    else if (this.sending.size + this.waiting.size >= MAX_EMAILS)
      this.reportFailure(email, 'too many e-mails are pending');
    else this.begin(email, 0);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const [timer, email] of this.waiting) {
      clearTimeout(timer);
      this.reportFailure(email, 'the server stopped before the next attempt');
    }
    this.waiting.clear();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(this.sending), timeout]);
    clearTimeout(timer);
  }

  /** @param failures failed attempts so far */
  private begin(email: Email, failures: number): void {
    const attempt = this.limited(() => this.options.deliver(email))
      .catch((error: unknown) => this.afterFailure(email, failures, error))
      .finally(() => this.sending.delete(attempt));
    this.sending.add(attempt);
  }

  private afterFailure(email: Email, failures: number, error: unknown): void {
    const { log, isFinal } = this.options;
    const pause = this.stopped || isFinal(error) ? undefined : this.retryMs[failures];
    if (pause === undefined) {
      this.reportFailure(email, error instanceof Error ? error.message : String(error));
      return;
    }
    log.warn({ err: error, to: email.to }, `"${email.subject}" could not be sent; trying again in ${pause / 1000} s`);
    const timer = setTimeout(() => {
      this.waiting.delete(timer);
      this.begin(email, failures + 1);
    }, pause);
    this.waiting.set(timer, email);
  }

  private reportFailure(email: Email, reason: string): void {
    this.options.log.error({ to: email.to }, `"${email.subject}" was not sent: ${reason}`);
  }
}
