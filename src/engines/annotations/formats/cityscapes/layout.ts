import type { FormatInfo } from '../format.js';
import { LABEL_COLORS } from '../items/label-colors.js';

export const cityscapesInfo: FormatInfo = {
  name: 'Cityscapes 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** Instances have the number of their label times this, plus their own number. */
export const INSTANCES = 1000;

/** Files of a dataset. */
export const MEMBER = new RegExp(`^(?:${LABEL_COLORS}$|gtFine/|imgsFine/|leftImg8bit/)`);
