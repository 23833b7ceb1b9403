import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { configuredUrl, CONFIG, type Config } from '../../config/config.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { Message } from './letter.js';
import { LetterQueue } from './letter-queue.js';
import { isFinal, smtpSender } from './smtp.js';

export type { Message } from './letter.js';

/**
 * Sends letters through the mail server of the configuration. Without one the link is written to the log, from where
 * the administrator may hand it on.
 *
 * Links begin with the configured address of the server. A request's `Host` header is not used: whoever asks for a new
 * password chooses it, and the link would bring the token to them.
 */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly queue: LetterQueue | undefined;
  private readonly base: string | null;

  constructor(
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(CONFIG) config: Config,
  ) {
    const { mail } = config;
    this.base = configuredUrl(config);
    this.queue = mail.host === '' ? undefined : new LetterQueue({ deliver: smtpSender(mail), isFinal, log });
  }

  /** Returns at once and never fails. Call it after the commit. */
  send({ path, ...message }: Message): void {
    const { to, subject } = message;
    const link = `${this.base ?? ''}${path}`;
    if (this.queue === undefined) this.log.info({ to, link }, `${subject} (no mail server is configured)`);
    else if (this.base !== null) this.queue.add({ ...message, link });
    else this.log.error({ to }, `"${subject}" was not sent: set PUBLIC_URL, with which links in e-mails begin`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue?.stop();
  }
}
