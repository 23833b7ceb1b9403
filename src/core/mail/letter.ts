/** Something to tell a person by e-mail: an address to open, and why. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** Why, where the subject does not say it all. */
  readonly reason?: string;
  /** The address that the letter is about. */
  readonly link: string;
}

/** What stands in the e-mail. */
export const letterText = ({ subject, reason, link }: Letter): string =>
  `${subject}\n\n${reason === undefined ? '' : `${reason}\n\n`}Open this address to go on:\n\n${link}\n\nIf you did not expect this letter, you need not do anything.\n`;
