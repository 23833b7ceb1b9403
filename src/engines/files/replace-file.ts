import { rename, rm } from 'node:fs/promises';

/**
 * Creates or replaces a file, which appears at `target` when it is complete. Until then it is beside it, with the
 * ending `.part`, and an error removes it.
 * @param write writes the whole file to the path it is given
 * @returns what `write` returns
 * @throws its errors; errors of the disk
 */
export async function replaceFile<T>(target: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = `${target}.part`;
  try {
    const result = await write(part);
    await rename(part, target);
    return result;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
