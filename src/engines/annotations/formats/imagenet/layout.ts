import type { FormatInfo } from '../format.js';

export const imageNetInfo: FormatInfo = {
  name: 'ImageNet 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The list of labels, in archives without images. */
export const LABELS_FILE = 'synsets.txt';

/** The folder of images without tags. */
export const NO_LABEL = 'no_label';
