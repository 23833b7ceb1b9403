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
