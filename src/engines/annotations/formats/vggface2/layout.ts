import type { FormatInfo } from '../format.js';

export const vggFace2Info: FormatInfo = {
  name: 'VGGFace2 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The folder of images without annotations. */
export const NO_LABEL = 'no_label';

export const NAME_COLUMN = 'NAME_ID';
export const BOX_COLUMNS = [NAME_COLUMN, 'X', 'Y', 'W', 'H'];
export const LANDMARK_COLUMNS = [NAME_COLUMN, ...[1, 2, 3, 4, 5].flatMap((point) => [`P${point}X`, `P${point}Y`])];
