import { posix } from 'node:path';
import type { DatasetImage, FormatInfo } from '../format.js';

export const imageFolderInfo: FormatInfo = {
  name: 'Hugging Face ImageFolder 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

export const parquetInfo: FormatInfo = { ...imageFolderInfo, name: 'Hugging Face Parquet 1.0' };

/**
 * Where an image belongs. Hugging Face's loaders take `data/train/a.png` and `train/a.png`, and images next to the
 * metadata.
 */
export function imageAt(path: string): DatasetImage {
  const [, subset, name] = /^(?:[^/]+\/){0,3}?data\/([^/]+)\/(.+)$/s.exec(path) ?? /^([^/]+)\/(.+)$/s.exec(path) ?? [];
  return subset === undefined || name === undefined ? { subset: 'default', name: path } : { subset, name };
}

/** The image that a row of a metadata file names. */
export const imageOfRow = (metadata: string, fileName: string): DatasetImage =>
  imageAt(posix.join(posix.dirname(metadata), fileName));
