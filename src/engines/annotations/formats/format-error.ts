import type { Shape } from '../../../shared/annotations/model.js';

/**
 * A file that cannot be imported, or a dataset that a format cannot express. The message is one sentence that says
 * which file, where, and what is wrong.
 */
export class FormatError extends Error {
  override name = 'FormatError';
}

/** A position in a file, for messages: `annotations.xml, line 12`. */
export type FileLocation = string;

/** Rejects the content at a position. */
export function refuse(location: FileLocation, fault: string, cause?: unknown): never {
  throw new FormatError(`${location}: ${fault}`, { cause });
}

/** An archive without the files of its format. @param hint a sentence that says what is missing */
export const datasetNotFound = (hint: string): FormatError => new FormatError(`Failed to find dataset. ${hint}`);

/** Shortens text of a file to one short line for a message. */
export function shown(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `'${short.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?')}'`;
}

/** A shape read from a file, by default a rectangle. */
export const fileShape = (shape: Partial<Shape> & Pick<Shape, 'label_id' | 'frame' | 'points'>): Shape => ({
  id: null,
  group: 0,
  source: 'file',
  type: 'rectangle',
  rotation: 0,
  occluded: false,
  outside: false,
  z_order: 0,
  attributes: [],
  elements: [],
  score: 1,
  ...shape,
});
