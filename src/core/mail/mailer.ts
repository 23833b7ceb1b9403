import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { configuredUrl, CONFIG, type Config } from '../../config/config.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { Message } from './letter.js';
import { LetterQueue } from './letter-queue.js';
import { isFinal, smtpSender } from './smtp.js';

export type { Message } from './letter.js';

/**
 * Sends letters through the configured mail server. Without one, the link is written to the log, so that the
 * administrator can pass it on.
 *
 * Links begin with the configured public URL. The `Host` header of a request is not used: whoever requests a password
 * reset chooses it, so the link could send the token to an attacker.
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

  /** Returns immediately and never fails. Call it after the commit. */
  send({ path, ...message }: Message): void {
    const { to, subject } = message;
    const link = `${this.base ?? ''}${path}`;
    if (this.queue === undefined) this.log.info({ to, link }, `${subject} (no mail server is configured)`);
    else if (this.base !== null) this.queue.add({ ...message, link });
    else this.log.error({ to }, `"${subject}" was not sent: set PUBLIC_URL, the start of links in e-mails`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue?.stop();
  }
}
