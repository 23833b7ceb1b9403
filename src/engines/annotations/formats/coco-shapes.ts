import type { FrameShape } from './annotated-frames.js';
import { type CocoRle, toCocoMask } from './coco-mask.js';
import type { DatasetFrame } from './dataset.js';
import { bitmapOf, masksOf, mergeGroups, outlinesOf } from './items/conversions.js';
import { DrawingBudget } from './items/drawing-budget.js';

export type Bbox = [left: number, top: number, width: number, height: number];

/** The fields of a COCO annotation that depend on the shape. */
export interface CocoShape {
  segmentation: number[][] | CocoRle;
  area: number;
  bbox: Bbox;
  iscrowd: 0 | 1;
}

/** Number of corners of an ellipse's polygon. The error is below a thousandth of the radius. */
const ELLIPSE_CORNERS = 72;

/**
 * @returns undefined for what COCO instances cannot express: points, polylines, cuboids, skeletons, and masks outside
 * the image
 */
export function cocoShape(shape: FrameShape, frame: DatasetFrame, budget: DrawingBudget): CocoShape | undefined {
  const { points } = shape;
  switch (shape.type) {
    case 'rectangle':
      return rectangle(points);
    case 'polygon':
      return polygons([points]);
    case 'ellipse':
      return polygons([ellipsePolygon(points, shape.rotation)]);
    case 'mask': {
      budget.spend(frame.width + frame.height, 0);
      const bitmap = bitmapOf(shape, frame, budget);
      const mask = bitmap && toCocoMask(bitmap, frame);
      return mask && { segmentation: mask.rle, area: mask.area, bbox: mask.bbox, iscrowd: 1 };
    }
    case 'points':
    case 'polyline':
    case 'cuboid':
    case 'skeleton':
      return undefined;
  }
}

/** One object of several polygons. */
function polygons(parts: readonly (readonly number[])[]): CocoShape {
  const segmentation = parts.map((part) => part.map(rounded));
  const area = segmentation.reduce((sum, part) => sum + polygonArea(part), 0);
  return { segmentation, area: rounded(area), bbox: extent(segmentation.flat()), iscrowd: 0 };
}

/** The box is unrotated; a rotation is written as an attribute. */
function rectangle(points: readonly number[]): CocoShape {
  const bbox = extent(points.map(rounded));
  return { segmentation: [], area: rounded(bbox[2] * bbox[3]), bbox, iscrowd: 0 };
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;

function extent(points: readonly number[]): Bbox {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    const [x = 0, y = 0] = [points[i], points[i + 1]];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return [left, top, rounded(right - left), rounded(bottom - top)];
}

/** Half the sum of the cross products of neighbouring corners (the shoelace formula). */
function polygonArea(points: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < points.length; i += 2) {
    const j = (i + 2) % points.length;
    sum += (points[i] ?? 0) * (points[j + 1] ?? 0) - (points[j] ?? 0) * (points[i + 1] ?? 0);
  }
  return Math.abs(sum) / 2;
}

function ellipsePolygon(points: readonly number[], rotation: number): number[] {
  const [cx = 0, cy = 0, right = 0, top = 0] = points;
  const [rx, ry] = [right - cx, cy - top];
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)];
  return Array.from({ length: ELLIPSE_CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / ELLIPSE_CORNERS;
    const [x, y] = [rx * Math.cos(angle), ry * Math.sin(angle)];
    return [cx + x * cos - y * sin, cy + x * sin + y * cos];
  }).flat();
}

/**
 * The shapes of a group as one object. The box encloses all of them. Polygons and masks are its segmentation, which is a
 * mask if the largest shape is one, or is a crowd.
 * @returns the object, and the largest shape, whose label and attributes it has; undefined if no shape has an area
 */
export function cocoGroup(
  members: readonly FrameShape[],
  frame: DatasetFrame,
  isCrowd: (shape: FrameShape) => boolean = () => false,
  budget = new DrawingBudget(frame),
): { readonly shape: FrameShape; readonly coco: CocoShape } | undefined {
  const parts = members.flatMap((shape) => {
    const coco = cocoShape(shape, frame, budget);
    return coco === undefined ? [] : [{ shape, coco }];
  });
  const [first] = parts;
  if (first === undefined) return undefined;
  const { shape, coco } = parts.reduce((best, part) => (isLarger(part, best) ? part : best));
  if (parts.length === 1) return { shape, coco: isCrowd(shape) ? crowd([shape], coco, frame, budget) : coco };
  const bbox = unitedBox(parts.map((part) => part.coco.bbox));
  const shapes = parts.map((part) => part.shape);
  if (coco.iscrowd === 1 || isCrowd(shape)) return { shape, coco: crowd(shapes, { ...coco, bbox }, frame, budget) };
  const outlines = parts.flatMap((part) => polygonsOf(part.shape, part.coco, frame, budget));
  const area = outlines.reduce((sum, outline) => sum + polygonArea(outline), 0);
  const isBox = outlines.length === 0;
  return { shape, coco: { segmentation: outlines, area: rounded(isBox ? bbox[2] * bbox[3] : area), bbox, iscrowd: 0 } };
}

/** An object whose segmentation is the mask of its shapes, except rectangles. */
function crowd(shapes: readonly FrameShape[], coco: CocoShape, frame: DatasetFrame, budget: DrawingBudget): CocoShape {
  const areas = shapes.filter(({ type }) => type !== 'rectangle');
  const [mask] = mergeGroups(masksOf(areas, frame, undefined, budget));
  const united = mask && toCocoMask(mask.bitmap, frame);
  if (united === undefined) return { ...coco, iscrowd: 1 };
  return { ...coco, segmentation: united.rle, area: united.area, iscrowd: 1 };
}

interface Part {
  readonly shape: FrameShape;
  readonly coco: CocoShape;
}

/** Of shapes of one size, a rectangle counts as the larger one. */
const isLarger = (part: Part, best: Part): boolean =>
  part.coco.area > best.coco.area ||
  (part.coco.area === best.coco.area && part.shape.type === 'rectangle' && best.shape.type !== 'rectangle');

function polygonsOf(
  shape: FrameShape,
  { segmentation }: CocoShape,
  frame: DatasetFrame,
  budget: DrawingBudget,
): number[][] {
  if (Array.isArray(segmentation)) return segmentation;
  return masksOf([shape], frame, undefined, budget).flatMap(({ bitmap }) => outlinesOf(bitmap, budget) ?? []);
}

/** The smallest box around boxes. */
export function unitedBox(boxes: readonly Bbox[]): Bbox {
  return extent(boxes.flatMap(([left, top, width, height]) => [left, top, left + width, top + height]));
}
