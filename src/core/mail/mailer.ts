import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { Letter } from './letter.js';
import { LetterQueue } from './letter-queue.js';
import { isFinal, smtpSender } from './smtp.js';

export type { Letter } from './letter.js';

/**
 * Sends letters through the mail server of the configuration. Without one the link is written to the log, from where
 * the administrator may hand it on.
 */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly queue: LetterQueue | undefined;

  constructor(
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(CONFIG) { mail }: Config,
  ) {
    this.queue = mail.host === '' ? undefined : new LetterQueue({ deliver: smtpSender(mail), isFinal, log });
  }

  /** Returns at once and never fails. Call it after the commit. */
  send(letter: Letter): void {
    if (this.queue !== undefined) this.queue.add(letter);
    else this.log.info({ to: letter.to, link: letter.link }, `${letter.subject} (no mail server is configured)`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue?.stop();
  }
}
