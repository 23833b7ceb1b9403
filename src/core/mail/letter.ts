/** Something to tell a person by e-mail: a page to open, and why. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  /** Why, where the subject does not say it all. */
  readonly reason?: string;
  /** What opening the page is for. */
  readonly request?: string;
  /** Path and query of the page. The mailer puts the server's own address before it, never that of a request. */
  readonly path: string;
  /** Why this person gets the letter, or what else there is to say at its end. */
  readonly closing?: string;
}

/** A message with the full URL of its page, ready to be sent. */
export interface Letter extends Omit<Message, 'path'> {
  readonly link: string;
}

const GO_ON = 'Open this address to go on:';
const UNEXPECTED = 'If you did not expect this letter, you need not do anything.';

/** What stands in the e-mail. */
export function letterText({ subject, reason, request = GO_ON, link, closing = UNEXPECTED }: Letter): string {
  const paragraphs = [subject, ...(reason === undefined ? [] : [reason]), request, link, closing];
  return `${paragraphs.join('\n\n')}\n`;
}
