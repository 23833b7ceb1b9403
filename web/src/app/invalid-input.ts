/** Thrown for input that cannot be sent. */
export class InvalidInput extends Error {
  /** @param fields error messages by the API's field names */
  constructor(readonly fields: Readonly<Record<string, string>>) {
    super(Object.values(fields).join(' '));
    this.name = 'InvalidInput';
  }
}
