import { access, rename } from 'node:fs/promises';
import { errorCode } from '../../../engines/media/media-error.js';
import type { FramesAhead } from '../frames-ahead.js';
import type { MediaFolders } from '../media-folders.js';
import type { UploadRow } from '../upload/media-upload.repository.js';
import { missingFile, type SourceFile } from './source-files.js';

/**
 * The files that a client sent for a task, in the order of sending.
 * @throws MediaError for one that was announced and never completed
 */
export function uploadedFiles(rows: readonly UploadRow[], folders: MediaFolders, ahead: FramesAhead): SourceFile[] {
  const complete = rows.filter((row) => row.completed_date !== null);
  const names = new Set(complete.map(({ name }) => name));
  const missing = rows.find(({ name }) => !names.has(name));
  if (missing !== undefined) throw missingFile(missing.name);
  return complete.map(({ name, file_id: fileId }) => {
    return {
      name,
      onDisk: () => Promise.resolve(folders.upload(fileId)),
      bring: async (target) => {
        await moveInto(folders.upload(fileId), target);
        ahead.moved(folders.upload(fileId), target);
      },
    };
  });
}

/** An earlier attempt may have got as far as this. */
async function moveInto(place: string, target: string): Promise<void> {
  try {
    await rename(place, target);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await access(target);
  }
}
