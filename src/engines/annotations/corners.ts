import type { ShapeType } from '../../shared/annotations/model.js';

/**
 * Puts the corners of a box, or the centre and the corner of an ellipse, in order, in place. Files and the API may have a
 * box from its lower right to its upper left corner, or with a negative width: it is the box between these corners. Most
 * readers, and half of the formats, cannot deal with it. A rotated box stays the same: it is rotated about its centre.
 */
export function orderCorners(shape: { readonly type: ShapeType; points: number[] }): void {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = shape.points;
  if (shape.points.length !== 4) return;
  if (shape.type === 'rectangle' && (x1 > x2 || y1 > y2)) {
    shape.points = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
  } else if (shape.type === 'ellipse' && (x2 < x1 || y2 > y1)) {
    shape.points = [x1, y1, x1 + Math.abs(x2 - x1), y1 - Math.abs(y2 - y1)];
  }
}
