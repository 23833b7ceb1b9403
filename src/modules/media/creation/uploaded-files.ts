import { missingFile } from '../../../engines/media/media-error.js';
import type { MediaFolders } from '../media-folders.js';
import type { UploadRow } from '../upload/media-upload.repository.js';
import type { SourceFile } from './source-files.js';

/**
 * The files that a client sent for a task, in the order of sending.
 * @throws MediaError for one that was announced and never completed
 */
export function uploadedFiles(rows: readonly UploadRow[], folders: MediaFolders): SourceFile[] {
  const complete = rows.filter((row) => row.completed_date !== null);
  const names = new Set(complete.map(({ name }) => name));
  const missing = rows.find(({ name }) => !names.has(name));
  if (missing !== undefined) throw missingFile(missing.name);
  return complete.map(({ name, file_id: fileId }) => ({
    name,
    onDisk: () => Promise.resolve(folders.upload(fileId)),
  }));
}
