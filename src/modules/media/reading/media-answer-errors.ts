import { ApiError, InvalidString, StorageFull } from '../../../core/http/errors.js';
import { ObjectStorageError } from '../../../engines/object-storage/object-storage-error.js';
import { MediaError, MediaStorageFull } from '../../../engines/media/media-error.js';

/** How long a client is kept waiting for what is being made. */
const PATIENCE_MS = 50_000;

/** 429 without a body: what was asked for is still being made. */
class NotReady extends ApiError {
  override readonly headers = { 'Retry-After': '10' };

  constructor() {
    super(429, undefined);
  }
}

/**
 * Waits for media that are being made, and turns what can go wrong into answers. Making goes on when the wait ends.
 * @throws ApiError 400 for media that cannot be decoded, 404 for a file that its bucket lacks, 429 after a long wait, 507 for a full disk
 */
export async function answering<T>(making: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotReady()), PATIENCE_MS);
  });
  try {
    return await Promise.race([making, patience]);
  } catch (error) {
    if (error instanceof MediaError && isMissing(error.cause)) throw new ApiError(404, error.message);
    if (error instanceof MediaError) throw new InvalidString(error.message);
    if (error instanceof MediaStorageFull) throw new StorageFull(error.message);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const isMissing = (cause: unknown): boolean => cause instanceof ObjectStorageError && cause.problem === 'not-found';
