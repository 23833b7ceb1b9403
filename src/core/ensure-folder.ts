import { mkdir } from 'node:fs/promises';

/**
 * Creates a folder in the data folder, with its parents, unless it exists. Call it before creating a file in the folder
 * or listing it, because somebody may remove it while the server runs.
 * @returns its path
 */
export async function ensureFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
