import { posix } from 'node:path';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import { readImageManifest } from '../../../engines/media/manifest.js';

/** A manifest that was sent beside the media. */
export interface SentManifest {
  readonly path: string;
  /** As the client calls it. */
  readonly name: string;
}

const MISSING_MANIFEST =
  "FileNotFoundError: Can't find upload manifest file 'manifest.jsonl' in the uploaded files. " +
  'It is needed to read the order of the files in an archive.';

/**
 * The order of files for predefined sorting: as the request says, else as a manifest says, else null (as they were
 * sent; an archive has no such order).
 * @throws MediaError for an archive without a manifest, and for a manifest that names other files
 */
export async function predefinedOrder(
  files: readonly string[],
  source: { readonly requested: readonly string[]; readonly manifest: SentManifest | null; readonly archive: boolean },
): Promise<readonly string[] | null> {
  const known = new Set(files);
  if (!source.archive && source.requested.length > 0) return source.requested.filter((name) => known.has(name));
  if (source.manifest !== null) return manifestOrder(known, source.manifest);
  if (source.archive) throw new MediaError(MISSING_MANIFEST);
  return null;
}

async function manifestOrder(known: ReadonlySet<string>, { path, name }: SentManifest): Promise<string[]> {
  const order = new Set<string>();
  for await (const image of readImageManifest(path, name)) {
    const file = posix.join(posix.dirname(name), image.path);
    if (!known.has(file)) throw new MediaError(`FileNotFoundError: ${quoted(file)} of ${quoted(name)} was not sent`);
    if (order.has(file)) throw new MediaError(`InvalidManifestError: ${quoted(name)} names ${quoted(file)} twice`);
    order.add(file);
  }
  return [...order];
}
