import { posix } from 'node:path';
import type { DatasetFiles, ExportFormat, FormatInfo, ImportFormat, ImportTarget } from '../format.js';
import { isOtherSubset } from '../import-notes.js';
import type { ItemAttribute } from '../items/attributes.js';
import { imageIn, rootOf } from '../items/dataset-root.js';
import { itemsWith } from '../items/items.js';

/** The label of all objects. */
export const ICDAR_LABEL = 'icdar';

/** The attribute with the text of an object. */
export const TEXT = 'text';

export const icdarInfo = (name: string): FormatInfo => ({
  name: `ICDAR ${name} 1.0`,
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
});

export const icdarItems = itemsWith();

const IMAGES = 'images';

export const imagePath: ExportFormat['imagePath'] = (frame, _task, dataset) => {
  const { subset, image } = icdarItems(dataset).of(frame);
  return `${subset}/${IMAGES}/${image}`;
};

export const imageAt: ImportFormat['imageAt'] = (path) => imageIn(IMAGES, [IMAGES], path);

/** The text of an object on one line; undefined if its label has no such attribute. */
export const textIn = (attributes: readonly ItemAttribute[]): string | undefined =>
  attributes.find(({ name }) => name === TEXT)?.text.replaceAll(/[\r\n]+/g, ' ');

/** The file with the objects of an image. */
export interface ImageFile {
  readonly path: string;
  /** The image, and its name if the archive has no folders of subsets. */
  readonly names: readonly [string, string];
}

/**
 * The files with objects of images, in the folders of subsets or outside.
 * @param nameIn returns the name of the image of a file; undefined for other files
 */
export function imageFiles(
  files: DatasetFiles,
  target: Pick<ImportTarget, 'subset' | 'notes'>,
  nameIn: (file: string) => string | undefined,
): ImageFile[] {
  const root = rootOf(files.paths, new RegExp(`^[^/]+/${IMAGES}/`)) ?? '';
  return files.paths.flatMap((path) => {
    const name = path.startsWith(root) && imageAt(path) === undefined ? nameIn(posix.basename(path)) : undefined;
    if (name === undefined) return [];
    const whole = posix.join(posix.dirname(path.slice(root.length)), name);
    const [, first = 'default', rest = whole] = /^([^/]+)\/(.+)$/s.exec(whole) ?? [];
    return isOtherSubset(first, path, target) ? [] : [{ path, names: [rest, whole] }];
  });
}
