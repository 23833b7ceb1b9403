/** Something that was typed cannot be sent as it is. */
export class InvalidInput extends Error {
  /** @param fields what is wrong, by the fields' names on the wire */
  constructor(readonly fields: Readonly<Record<string, string>>) {
    super(Object.values(fields).join(' '));
    this.name = 'InvalidInput';
  }
}
