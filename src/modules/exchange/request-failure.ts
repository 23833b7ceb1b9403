import { ApiError } from '../../core/http/errors/errors.js';
import { FormatError } from '../../engines/annotations/formats/format.js';
import { MediaError, MediaStorageFull, storageError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { type RequestContext, RequestFailure } from '../requests/index.js';

/** Converts an error to a RequestFailure, which shows its message to the user, if the user can act on it. */
export function toRequestFailure(error: unknown, { signal }: RequestContext): unknown {
  if (signal.aborted) return signal.reason ?? error;
  const known = storageError(error);
  const isUserError =
    known instanceof FormatError ||
    known instanceof ObjectStorageError ||
    known instanceof MediaError ||
    known instanceof MediaStorageFull ||
    known instanceof ApiError;
  return isUserError ? new RequestFailure(known.message, { cause: error }) : error;
}
