/** The reason why an import cannot continue, in one sentence for the person who started it. */
export class CvatImportError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'CvatImportError';
  }
}

/** What is wrong with one record. */
export interface Problem {
  readonly model: string;
  readonly pk: string;
  /** The field that is wrong; null if the whole record is. */
  readonly field: string | null;
  /** Names record and field. */
  readonly sentence: string;
}

/** Whether the database does not accept a value or row: SQLSTATE classes 22 and 23, and exceptions of triggers. */
export const isRefusedRow = (error: unknown): boolean =>
  /^(22|23|P0001)/.test((error as { readonly code?: string }).code ?? '');

/** A record that cannot be imported, while others can. */
export class InvalidRecord extends CvatImportError {
  constructor(
    readonly problem: Problem,
    options?: ErrorOptions,
  ) {
    super(problem.sentence, options);
    this.name = 'InvalidRecord';
  }
}

/** Records that cannot be imported. The message names them, up to a limit. */
export class InvalidRecords extends CvatImportError {
  /** @param count how many there are; at least the number of sentences */
  constructor(sentences: readonly string[], count: number) {
    const more = count > sentences.length ? [`and ${count - sentences.length} more`] : [];
    super(
      count === 1
        ? sentences.join('')
        : [`${count} records cannot be imported:`, ...[...sentences, ...more].map((line) => `  ${line}`)].join('\n'),
    );
    this.name = 'InvalidRecords';
  }
}
