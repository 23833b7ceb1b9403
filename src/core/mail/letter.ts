/** Something to tell a person by e-mail: an address to open, and why. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** The address that the letter is about. */
  readonly link: string;
}

/** What stands in the e-mail. */
export const letterText = ({ subject, link }: Letter): string =>
  `${subject}\n\nOpen this address to go on:\n\n${link}\n\nIf you did not expect this letter, you need not do anything.\n`;
