import { accessSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, MediaError, missingFile, quoted } from './media-error.js';

/** A file to move to the images of a task. */
export interface FileMove {
  /** The client's name for the file, for errors. */
  readonly name: string;
  /** Current path. */
  readonly file: string;
  readonly target: string;
}

/**
 * Moves files within a file system and creates parent folders. Can be repeated after an interruption. Runs sequentially
 * on the calling thread: moves in one folder would wait for each other anyway, and dispatching a move to another thread
 * takes longer than the move.
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

/** An earlier attempt may already have moved the file. */
function move(file: string, target: string): void {
  try {
    renameSync(file, target);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    accessSync(target);
  }
}

/** Converts the error for a file that could not be moved. */
export function placeError(error: unknown, name: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
      return missingFile(name);
    case 'EEXIST':
    case 'ENOTDIR':
    case 'EISDIR':
      return new MediaError(`The folder of ${quoted(name)} has the name of another file`, { cause: error });
    default:
      return error;
  }
}
