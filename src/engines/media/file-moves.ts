import { accessSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, MediaError, missingFile, quoted } from './media-error.js';

/** A file that gets its place among the images of a task. */
export interface FileMove {
  /** How the client calls it, for errors. */
  readonly name: string;
  /** Where it lies. */
  readonly file: string;
  readonly target: string;
}

/**
 * Moves files within a file system, with the folders on the way; may be done again after an interruption. One after the
 * other on the calling thread: it is the folder that they would wait for, and handing a move over takes longer than moving.
 * @throws MediaError that names the file
 */
export function moveFiles(files: readonly FileMove[]): void {
  const made = new Set<string>();
  for (const { name, file, target } of files) {
    const folder = dirname(target);
    try {
      if (!made.has(folder)) mkdirSync(folder, { recursive: true });
      made.add(folder);
      move(file, target);
    } catch (error) {
      throw placeError(error, name);
    }
  }
}

/** An earlier attempt may have got as far as this. */
function move(file: string, target: string): void {
  try {
    renameSync(file, target);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    accessSync(target);
  }
}

/** What is said when a file does not get to its place. */
export function placeError(error: unknown, name: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
      return missingFile(name);
    case 'EEXIST':
    case 'ENOTDIR':
    case 'EISDIR':
      return new MediaError(`File ${quoted(name)} needs a folder that has the name of another file`, { cause: error });
    default:
      return error;
  }
}
