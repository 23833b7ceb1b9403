import type { FormatInfo } from '../format.js';

export const marketInfo: FormatInfo = {
  name: 'Market-1501 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The label whose tags name images. */
export const MARKET_LABEL = 'market-1501';

/** Person, camera (from 1), track, frame, box, and possibly more. */
export const MARKET_NAME = /^(-?\d+)(?:\.0)?_c(\d+)s(\d+)_(\d+)_(\d+)(.*)$/s;
