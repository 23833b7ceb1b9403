import type { FrameObject, QualityLabel } from '../../src/engines/quality/frame-objects.js';
import type { Shape } from '../../src/shared/annotations/model.js';

/** A label without attributes. */
export const qualityLabel = (id: number, name: string): QualityLabel => ({
  id,
  name,
  type: 'any',
  parentId: null,
  attributes: [],
});

/** A rectangle of label 1 in frame 0, unless it says otherwise. */
export const qualityShape = (parts: Partial<Shape> = {}): Shape => ({
  id: 1,
  label_id: 1,
  type: 'rectangle',
  frame: 0,
  group: 0,
  source: 'manual',
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  score: 1,
  points: [10, 10, 40, 40],
  attributes: [],
  elements: [],
  ...parts,
});

/** The same in a frame that is compared. */
export const shapeObject = (parts: Partial<FrameObject> = {}): FrameObject => ({
  id: 1,
  jobId: 1,
  type: 'shape',
  kind: 'rectangle',
  labelId: 1,
  group: 0,
  zOrder: 0,
  occluded: false,
  rotation: 0,
  points: [10, 10, 40, 40],
  elements: [],
  attributes: [],
  ...parts,
});
