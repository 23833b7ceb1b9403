import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'cairn-media-';

/** A place that nothing has yet, for what is made of media until it is read. @param folder default: of the system */
export const temporaryPath = (folder = tmpdir()): string => join(folder, `${PREFIX}${randomUUID()}`);

/** Removes what processes left at such places that died meanwhile. @param before what is younger may be in use */
export async function removeAbandoned(before: Date, folder = tmpdir()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && info.mtime < before) await rm(path, { recursive: true, force: true });
  }
}
