import type { FormatInfo } from '../format.js';

export const lfwInfo: FormatInfo = { name: 'LFW 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' };

/** Attributes that name images of the same person, or of others, separated by commas. */
export const PAIRS = { positive: 'positive_pairs', negative: 'negative_pairs' } as const;

/** In place of a person: the next column is an image without one. */
export const NO_PERSON = '-';
