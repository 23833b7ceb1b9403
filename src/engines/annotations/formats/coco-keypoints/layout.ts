import type { FormatInfo } from '../format.js';

export const keypointsInfo: FormatInfo = {
  name: 'COCO Keypoints 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** Names of files with keypoints begin with it, and end with their subset. */
export const PREFIX = 'person_keypoints_';
