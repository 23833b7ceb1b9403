import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { CONFIG, type Config, configuredUrl } from '../../config/config.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { type Email, EmailQueue, emailText, type Message } from './email-queue.js';

export type { Message } from './email-queue.js';

/**
 * Sends e-mails through the configured mail server. Without one, the link is written to the log, so that the
 * administrator can pass it on.
 *
 * Links begin with the configured public URL. The `Host` header of a request is not used: whoever requests a password
 * reset chooses it, so the link could send the token to an attacker.
 */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly queue: EmailQueue | undefined;
  private readonly base: string | null;

  constructor(
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(CONFIG) config: Config,
  ) {
    const { mail } = config;
    this.base = configuredUrl(config);
    this.queue = mail.host === '' ? undefined : new EmailQueue({ deliver: smtpSender(mail), isFinal, log });
  }

  /** Whether e-mails are sent, rather than written to the log. */
  get isConfigured(): boolean {
    return this.queue !== undefined && this.base !== null;
  }

  /** Returns immediately and never fails. Call it after the commit. */
  send({ path, ...message }: Message): void {
    const { to, subject } = message;
    const link = `${this.base ?? ''}${path}`;
    if (this.queue === undefined) this.log.info({ to, link }, `${subject} (no mail server is configured)`);
    else if (this.base !== null) this.queue.add({ ...message, link });
    else this.log.error({ to }, `"${subject}" was not sent: set PUBLIC_URL, which links in e-mails start with`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue?.stop();
  }
}

const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Creates a function that sends one e-mail on a connection of its own. It rejects with the server's or network's error,
 * in bounded time.
 */
function smtpSender(mail: Config['mail']): (email: Email) => Promise<void> {
  const { host, port, secure, user, password, from } = mail;
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && password !== '' && !LOOPBACK.has(host), // no password over an unencrypted network
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: RESPONSE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === '' ? {} : { auth: { user, pass: password } }),
  });
  return async (email) => {
    const to = { name: '', address: email.to }; // a string would be parsed as a list of addresses
    await transport.sendMail({ from, to, subject: email.subject, text: emailText(email) });
  };
}

/** A permanent failure: SMTP codes from 500, such as an unknown address. */
function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
