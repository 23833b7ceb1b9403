/** Something to tell a person by e-mail: an address to open, and why. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** Why, where the subject does not say it all. */
  readonly reason?: string;
  /** What opening the address is for. */
  readonly request?: string;
  /** The address that the letter is about. */
  readonly link: string;
  /** Why this person gets the letter, or what else there is to say at its end. */
  readonly closing?: string;
}

const GO_ON = 'Open this address to go on:';
const UNEXPECTED = 'If you did not expect this letter, you need not do anything.';

/** What stands in the e-mail. */
export function letterText({ subject, reason, request = GO_ON, link, closing = UNEXPECTED }: Letter): string {
  const paragraphs = [subject, ...(reason === undefined ? [] : [reason]), request, link, closing];
  return `${paragraphs.join('\n\n')}\n`;
}
