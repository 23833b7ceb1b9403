import { safeMediaPath } from '../engines/media/file-name.js';
import type { DumpRecord } from './dump-record.js';

/** Folders that absolute paths of CVAT begin with: the media of one task, and the share. */
const FOLDER = /^\/(?:.*?\/data\/\d+\/raw|home\/django\/share)\//;

/**
 * The path of a media file within its data's folder. Dumps give it relative to that folder; some also absolute.
 * @throws CvatImportError for one that leads elsewhere
 */
export function pathInData(record: DumpRecord, field: string): string {
  const path = record.text(field).replace(FOLDER, '');
  try {
    return safeMediaPath(path);
  } catch {
    throw record.wrong(field, "a path within the task's media");
  }
}
