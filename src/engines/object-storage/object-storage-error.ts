/** The reason why a bucket cannot be used. */
export type ObjectStorageProblem = 'not-found' | 'forbidden' | 'unreachable' | 'failed' | 'full';

/** A bucket or object that cannot be reached or used. The message is a sentence for users. */
export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError';

  constructor(
    readonly problem: ObjectStorageProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
