import { posix } from 'node:path';
import type { DatasetFrame } from './dataset.js';
import { FormatError, shown } from './format-error.js';
import type { ImportTarget } from './format.js';

/** Several frames answer to one name. */
const AMBIGUOUS = Symbol('ambiguous');

type Names = Map<string, DatasetFrame | typeof AMBIGUOUS>;

/**
 * Finds the frames that a file means: by path, by path without extension, by file name where only one frame has it.
 * Frames of videos have no names of their own; they are found by their number.
 */
export class FrameMatcher {
  private readonly byPath: Names = new Map();
  private readonly byStem: Names = new Map();
  private readonly byFile: Names = new Map();
  private readonly byFileStem: Names = new Map();
  private readonly numbers = new Map<number, DatasetFrame>();
  private readonly isVideo: boolean;

  constructor(target: Pick<ImportTarget, 'frames' | 'mode'>) {
    this.isVideo = target.mode === 'interpolation';
    for (const frame of target.frames) {
      this.numbers.set(frame.number, frame);
      const path = plainPath(frame.name);
      const file = posix.basename(path);
      remember(this.byPath, path, frame);
      remember(this.byStem, withoutExtension(path), frame);
      remember(this.byFile, file, frame);
      remember(this.byFileStem, withoutExtension(file), frame);
    }
  }

  /**
   * @param number what the file says is the number of the frame, if it does
   * @throws FormatError in the words in which clients know it
   */
  named(name: string, number?: number): DatasetFrame {
    const path = plainPath(name);
    const named = this.find(path);
    if (named !== undefined) return named;
    const found = this.isVideo ? this.numbers.get(number ?? numberIn(path)) : undefined;
    return found ?? noFrame(withoutExtension(path));
  }

  /** From the strictest to the most forgiving way. What looks like an extension may be part of a name without one. */
  private find(path: string): DatasetFrame | undefined {
    const file = posix.basename(path);
    return (
      lookUp(this.byPath, path) ??
      lookUp(this.byStem, path) ??
      lookUp(this.byStem, withoutExtension(path)) ??
      lookUp(this.byFile, file) ??
      lookUp(this.byFileStem, file) ??
      lookUp(this.byFileStem, withoutExtension(file))
    );
  }

  /** @returns the frame with a number of the source; undefined when the target does not have it */
  numbered(number: number): DatasetFrame | undefined {
    return this.numbers.get(number);
  }
}

function remember(names: Names, name: string, frame: DatasetFrame): void {
  names.set(name, names.has(name) ? AMBIGUOUS : frame);
}

function lookUp(names: Names, name: string): DatasetFrame | undefined {
  const found = names.get(name);
  return found === AMBIGUOUS ? undefined : found;
}

/** Refuses an item of a file that belongs to no frame. */
export function noFrame(item: string): never {
  throw new FormatError(
    `cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: ${shown(item)} with any task frame`,
  );
}

const plainPath = (path: string): string => posix.normalize(path.replaceAll('\\', '/')).replace(/^\/+/, '');

/** A dot is the start of an extension only where one follows that images have: `v1.5` is a name. */
export const withoutExtension = (path: string): string => path.replace(/(?<=[^/])\.[a-z][a-z0-9]{1,4}$/i, '');

/** `frame_000012.png` is how frames of videos are called in archives. */
const numberIn = (path: string): number =>
  Number(/^frame_(\d+)$/.exec(withoutExtension(posix.basename(path)))?.[1] ?? NaN);
