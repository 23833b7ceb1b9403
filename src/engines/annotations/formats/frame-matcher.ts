import { posix } from 'node:path';
import type { DatasetFrame } from './dataset.js';
import { FormatError, shown } from './format-error.js';
import type { ImportTarget } from './format.js';

/** Several frames share a name. */
const AMBIGUOUS = Symbol('ambiguous');

type Names = Map<string, DatasetFrame | typeof AMBIGUOUS>;

/**
 * Finds the frames that a file refers to: by path, by path without extension, or by file name if only one frame has it.
 * Frames of videos have no names; they are found by number.
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
   * @param number the frame number given in the file, if any
   * @throws FormatError with a message that clients know
   */
  named(name: string, number?: number): DatasetFrame {
    const path = plainPath(name);
    const named = this.find(path);
    if (named !== undefined) return named;
    const found = this.isVideo ? this.numbers.get(number ?? numberIn(path)) : undefined;
    return found ?? noFrame(withoutExtension(path));
  }

  /** Tries the strictest match first. What looks like an extension may be part of a name without one. */
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

  /** @returns the frame with this number in the source; undefined if the target does not have it */
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

/** Rejects an item of a file that matches no frame. */
export function noFrame(item: string): never {
  throw new FormatError(
    `cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: ${shown(item)} with any task frame`,
  );
}

const plainPath = (path: string): string => posix.normalize(path.replaceAll('\\', '/')).replace(/^\/+/, '');

/** Only extensions of images count: `v1.5` is a name without one. */
export const withoutExtension = (path: string): string => path.replace(/(?<=[^/])\.[a-z][a-z0-9]{1,4}$/i, '');

/** Archives name the frames of videos `frame_000012.png`. */
const numberIn = (path: string): number =>
  Number(/^frame_(\d+)$/.exec(withoutExtension(posix.basename(path)))?.[1] ?? NaN);
