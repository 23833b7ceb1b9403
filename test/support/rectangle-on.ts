import type { Shape } from '../../src/shared/annotations/model.js';

/** A rectangle without an id, x1, y1, x2, y2. */
export const rectangleOn = (frame: number, points: number[]): Shape => ({
  id: null,
  label_id: 1,
  group: 0,
  source: 'manual',
  attributes: [],
  type: 'rectangle',
  frame,
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points,
  score: 1,
  elements: [],
});
