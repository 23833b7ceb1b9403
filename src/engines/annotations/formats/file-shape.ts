import type { Shape } from '../../../shared/annotations/model.js';

/** A shape of a file: a rectangle, where the file says nothing else of it. */
export const fileShape = (shape: Partial<Shape> & Pick<Shape, 'label_id' | 'frame' | 'points'>): Shape => ({
  id: null,
  group: 0,
  source: 'file',
  type: 'rectangle',
  rotation: 0,
  occluded: false,
  outside: false,
  z_order: 0,
  attributes: [],
  elements: [],
  score: 1,
  ...shape,
});
