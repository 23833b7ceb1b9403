import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { extractZip } from '../../../engines/media/archive-zip.js';
import { mapBounded } from '../../../engines/media/concurrency.js';
import { errorCode, MediaError, quoted } from '../../../engines/media/media-error.js';
import type { MediaSelection } from '../../../engines/media/media-kind.js';
import type { MediaFolders } from '../media-folders.js';
import type { UploadRow } from '../upload/media-upload.repository.js';
import { refusePointClouds } from './media-plan.js';

export interface SourceOptions {
  readonly folders: MediaFolders;
  readonly dataId: number;
  readonly archive: { readonly maxEntries: number; readonly maxBytes: number };
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Brings the images of a task into its folder, under their names. May be done again after an interruption.
 * @returns the paths of all images, in the order of sending or of the archive
 * @throws MediaError that names the file
 */
export async function bringSources(
  selection: MediaSelection,
  uploads: ReadonlyMap<string, UploadRow>,
  options: SourceOptions,
): Promise<string[]> {
  const { folders, dataId } = options;
  if (selection.kind !== 'zip') {
    await mapBounded(selection.files, 16, (name) => bringImage(name, uploads.get(name), options));
    return selection.files;
  }
  const [name = ''] = selection.files;
  const archive = folders.upload(uploads.get(name)?.file_id ?? '');
  await rm(folders.raw(dataId), { recursive: true, force: true });
  const paths = await extractZip(archive, folders.raw(dataId), {
    name,
    limits: { ...options.archive, maxRatio: 100, ratioFrom: 256 * 2 ** 20 },
    signal: options.signal,
    onProgress: (done, total) => options.onProgress(done / total),
  });
  refusePointClouds(paths);
  return paths;
}

async function bringImage(
  name: string,
  upload: UploadRow | undefined,
  { folders, dataId, signal }: SourceOptions,
): Promise<void> {
  signal.throwIfAborted();
  const target = folders.raw(dataId, name);
  try {
    await mkdir(dirname(target), { recursive: true });
    await rename(folders.upload(upload?.file_id ?? ''), target);
  } catch (error) {
    const code = errorCode(error);
    // An earlier attempt got as far as this.
    if (code === 'ENOENT' && (await exists(target))) return;
    if (code === 'ENOENT') throw missingFile(name);
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') {
      throw new MediaError(`File ${quoted(name)} needs a folder that has the name of another file`, { cause: error });
    }
    throw error;
  }
}

/** A file that was announced and did not come. */
export const missingFile = (name: string): MediaError =>
  new MediaError(`FileNotFoundError: [Errno 2] No such file or directory: ${quoted(name)}`);

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
