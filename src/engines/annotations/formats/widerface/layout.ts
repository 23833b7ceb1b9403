import type { FormatInfo } from '../format.js';

export const widerFaceInfo: FormatInfo = {
  name: 'WiderFace 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The attributes of a box, in the order of their columns. */
export const FACE_ATTRIBUTES = ['blur', 'expression', 'illumination', 'occluded', 'pose', 'invalid'];

/** The label of boxes that name none. */
export const FACE = 'face';

/** A missing attribute. */
export const MISSING = '-';

/** The folder of images without tags. */
export const NO_LABEL = 'no_label';
