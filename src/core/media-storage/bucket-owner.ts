import { text } from 'node:stream/consumers';
import type { Config } from '../../config/config.js';
import { MediaStorageFull, MediaStorageUnavailable } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { InstallationError } from '../database/installation.js';
import type { MediaPlace } from './media-place.js';
import { openBucket } from './media-places.js';

const OWNER = 'installation.id';

/**
 * Binds a bucket and prefix to an installation, as the data folder is: two installations in one place would replace and
 * remove each other's files.
 * @param id of the installation
 * @throws InstallationError if the place belongs to another one; MediaStorageUnavailable, MediaStorageFull
 */
export async function requireOwnBucket(place: MediaPlace, id: string): Promise<void> {
  const owner = await ownerOf(place);
  if (owner === undefined) return place.put(OWNER, Buffer.from(`${id}\n`));
  if (owner !== id)
    throw new InstallationError(
      `${place.url} contains the files of another installation. Choose another prefix; if that installation is gone, delete ` +
        `the object ${OWNER} there.`,
    );
}

/** As {@link requireOwnBucket}, for a place by its URL. Does nothing for the data folder. */
export async function requireOwnUrl(url: string, id: string, config: Config): Promise<void> {
  if (url === '') return;
  const { place, objects } = openBucket(url, config);
  try {
    await requireOwnBucket(place, id);
  } finally {
    objects.close();
  }
}

/** The installation that a place belongs to. @returns undefined if none has claimed it */
export async function ownerOf(place: MediaPlace): Promise<string | undefined> {
  const found = await place.open(OWNER);
  return found === undefined ? undefined : (await text(found.stream)).trim();
}

/** Undoes {@link requireOwnBucket}. */
export const disown = (place: MediaPlace): Promise<void> => place.remove(OWNER);

/**
 * Takes the place of MEDIA_URL for a new installation. Since it is recorded for good, it must be known to be usable.
 * @throws InstallationError with a sentence that says what to correct
 */
export async function claimMediaUrl(id: string, config: Config): Promise<void> {
  const { url } = config.media;
  try {
    await requireOwnUrl(url, id, config);
  } catch (error) {
    if (!isBucketProblem(error)) throw error;
    const text = `The first start must reach ${url}, the place of MEDIA_URL. ${withAdvice(error)}`;
    throw new InstallationError(text, { cause: error });
  }
}

/** Whether a bucket failed, as opposed to a bug or this machine. */
export const isBucketProblem = (error: unknown): error is MediaStorageUnavailable | MediaStorageFull =>
  error instanceof MediaStorageUnavailable || error instanceof MediaStorageFull;

/** What has failed, and what to correct. */
export const withAdvice = (error: MediaStorageUnavailable | MediaStorageFull): string =>
  `${error.message.replace(/\.$/, '')}. ${adviceFor(error)}`;

/** What to correct when a bucket fails. */
export function adviceFor(error: MediaStorageUnavailable | MediaStorageFull): string {
  if (error instanceof MediaStorageFull) return 'Make room there.';
  if (/^The bucket .* does not exist/.test(error.message))
    return 'Create it, or correct its name in the URL or the server in MEDIA_S3_ENDPOINT.';
  const isForbidden = error.cause instanceof ObjectStorageError && error.cause.problem === 'forbidden';
  return isForbidden || /credential/i.test(error.message)
    ? 'Check MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY. The key must be allowed to read, write, delete and list objects.'
    : 'Check MEDIA_S3_ENDPOINT, MEDIA_S3_REGION and MEDIA_S3_PATH_STYLE, and whether the server is running.';
}
