/** The reason why an import cannot continue, in one sentence for the person who started it. */
export class CvatImportError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'CvatImportError';
  }
}
