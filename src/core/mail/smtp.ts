import { createTransport } from 'nodemailer';
import type { Config } from '../../config/config.js';
import { type Letter, letterText } from './letter.js';

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Creates a function that sends one letter on a connection of its own. It rejects with the server's or network's error,
 * in bounded time.
 */
export function smtpSender(mail: Config['mail']): (letter: Letter) => Promise<void> {
  const { host, port, secure, user, password, from } = mail;
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && password !== '' && !LOOPBACK.has(host), // no password over an unencrypted network
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === '' ? {} : { auth: { user, pass: password } }),
  });
  return async (letter) => {
    const to = { name: '', address: letter.to }; // a string would be parsed as a list of addresses
    await transport.sendMail({ from, to, subject: letter.subject, text: letterText(letter) });
  };
}

/** A permanent failure: SMTP codes from 500, such as an unknown address. */
export function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
