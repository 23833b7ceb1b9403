import { roundCoordinate, type Size } from '#shared/annotations/editing/geometry';
import { boxOfImage, emptyBitmap, maskBitmap, trimmedPoints } from '#shared/annotations/mask';
import { maskOutlines } from '#shared/annotations/mask-outlines';
import type { Geometry } from '#shared/annotations/model';
import { boundsOf, drawingsOf, rectangleCorners } from '../scene/drawing';
import type { ConvertedType } from './converted-types';
import { paintPolygon } from './mask-raster';
import { simplifiedOutline } from './simplify';

/** Shapes, or why there are none. */
export type Outcome = { readonly shapes: readonly Geometry[] } | { readonly problem: string };

/** The maximum distance of a polygon from the edge of the mask it is made of, in pixels of the image. */
const TOLERANCE = 0.75;

export const geometry = (type: Geometry['type'], points: number[]): Geometry => ({ type, points, rotation: 0 });

/** Converts a shape. A mask becomes a polygon for each of its regions. */
export function converted(shape: Geometry, to: ConvertedType, image: Size): Outcome {
  if (to === 'mask') {
    const points = pixelsOf(shape, image);
    return points === undefined ? { problem: 'The object covers no pixel.' } : { shapes: [geometry('mask', points)] };
  }
  if (to === 'rectangle') {
    const { left, top, right, bottom } = boundsOf(drawingsOf(shape)) ?? { left: 0, top: 0, right: 0, bottom: 0 };
    return { shapes: [geometry('rectangle', [left, top, right, bottom])] };
  }
  const outlines = outlinesOf(shape, image);
  return outlines === undefined
    ? { problem: 'The mask has too many regions for polygons.' }
    : { shapes: outlines.map((points) => geometry('polygon', points)) };
}

/** The outlines of a shape with an area; undefined if they would be too long. */
function outlinesOf(shape: Geometry, image: Size): number[][] | undefined {
  switch (shape.type) {
    case 'mask': {
      const bitmap = maskBitmap(shape.points, boxOfImage(image));
      return bitmap && maskOutlines(bitmap)?.map((outline) => simplifiedOutline(outline, TOLERANCE));
    }
    case 'rectangle':
      return [rectangleCorners(shape.points, shape.rotation).map(roundCoordinate)];
    case 'ellipse':
      return [outlineOfEllipse(shape)];
    default:
      return [shape.points];
  }
}

/** The pixels of a shape with an area, as the points of a mask. */
export function pixelsOf(shape: Geometry, image: Size): number[] | undefined {
  if (shape.type === 'mask') {
    const mask = maskBitmap(shape.points, boxOfImage(image));
    return mask && trimmedPoints(mask);
  }
  const bitmap = emptyBitmap(boxOfImage(image));
  for (const outline of outlinesOf(shape, image) ?? []) paintPolygon(bitmap, outline, 1);
  return trimmedPoints(bitmap);
}

/** Maximum distance of the edges of a polygon from the ellipse it is made of, in pixels of the image. */
const SAGITTA = 0.25;

function outlineOfEllipse(shape: Geometry): number[] {
  const [drawing] = drawingsOf(shape);
  if (drawing?.kind !== 'ellipse') return [];
  const { cx, cy, rx, ry, angle } = drawing;
  const step = Math.acos(Math.max(0, 1 - SAGITTA / Math.max(rx, ry, SAGITTA)));
  const count = Math.max(12, Math.ceil(Math.PI / step));
  return Array.from({ length: count }, (_, at) => {
    const turn = (at / count) * 2 * Math.PI;
    const [x, y] = [rx * Math.cos(turn), ry * Math.sin(turn)];
    return [cx + x * Math.cos(angle) - y * Math.sin(angle), cy + x * Math.sin(angle) + y * Math.cos(angle)];
  })
    .flat()
    .map(roundCoordinate);
}
