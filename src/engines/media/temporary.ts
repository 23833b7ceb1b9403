import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'cairn-media-';

/** An unused path for temporary results of media processing. @param folder default: the system's */
export const temporaryPath = (folder = tmpdir()): string => join(folder, `${PREFIX}${randomUUID()}`);

/** Removes temporary files that dead processes left. @param before more recent files may be in use */
export async function removeAbandoned(before: Date, folder = tmpdir()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && info.mtime < before) await rm(path, { recursive: true, force: true });
  }
}
