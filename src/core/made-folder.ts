import { mkdir } from 'node:fs/promises';

/**
 * Creates a folder in the data folder, with its parents, unless it exists. Call it before a file is created in the folder or the
 * folder is listed, as somebody may remove it under a running server.
 * @returns its path
 */
export async function madeFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
