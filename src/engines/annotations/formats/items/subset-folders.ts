import { posix } from 'node:path';
import type { DatasetFiles, DatasetImage, ImportFormat } from '../format.js';

/**
 * Finds images in a folder `images`, whose sub-folders are subsets if the archive has annotations of such a subset.
 * Otherwise they are parts of the names.
 * @param subsets that the archive has annotations of
 */
export const imagesOfSubsets =
  (subsets: ReadonlySet<string>) =>
  (path: string): DatasetImage | undefined => {
    const [, name] = /^(?:[^/]+\/){0,3}?images\/(.+)$/s.exec(path) ?? [];
    return name === undefined ? undefined : imageOfSubset(name, subsets);
  };

/** The image with this path below its folder. */
export function imageOfSubset(name: string, subsets: ReadonlySet<string>): DatasetImage {
  const [folder = '', ...rest] = name.split('/');
  if (rest.length > 0 && subsets.has(folder)) return { subset: folder, name: rest.join('/') };
  const [only] = subsets;
  return { subset: subsets.size === 1 && only !== undefined ? only : 'default', name };
}

/** As {@link imagesOfSubsets}, for formats that have the annotations of a subset in a file `<prefix><subset>.json`. */
export const imagesByFiles =
  (prefix: string): NonNullable<ImportFormat['imagesIn']> =>
  ({ paths }: DatasetFiles) => {
    const names = paths.filter((path) => /\.json$/i.test(path)).map((path) => posix.basename(path));
    const own = names
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length, -'.json'.length));
    return Promise.resolve(imagesOfSubsets(new Set(own)));
  };
