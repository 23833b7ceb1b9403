import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger.js';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** The address that the letter is about. */
  readonly link: string;
}

/**
 * Sends letters. There is no mail server to send them through yet, so the link is written to the log, from where the
 * administrator may hand it on.
 */
@Injectable()
export class Mailer {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  send(letter: Letter): void {
    this.log.info({ to: letter.to, link: letter.link }, `${letter.subject} (no mail server is configured)`);
  }
}
