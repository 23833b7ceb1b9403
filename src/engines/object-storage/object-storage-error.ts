/** Why a bucket could not be used. */
export type ObjectStorageProblem = 'not-found' | 'forbidden' | 'unreachable' | 'failed';

/** A bucket, or an object in it, that cannot be reached or used. The message is a sentence for people. */
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
