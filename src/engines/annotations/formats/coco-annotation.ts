import type { AttributeValue } from '../../../shared/annotations/model.js';
import type { FrameShape } from './annotated-frames.js';
import { type CocoRle, toCocoMask } from './coco-mask.js';
import type { DatasetFrame } from './dataset.js';
import type { LabelNames } from './label-names.js';

type Bbox = [left: number, top: number, width: number, height: number];

/** The part of a COCO annotation that its shape says. */
export interface CocoShape {
  segmentation: number[][] | CocoRle;
  area: number;
  bbox: Bbox;
  iscrowd: 0 | 1;
}

type CocoValue = string | number | boolean;

/** How many corners the polygon of an ellipse has: off the curve by less than a thousandth of its radius. */
const ELLIPSE_CORNERS = 72;

/**
 * @returns undefined for what COCO's instances cannot have: points, polylines, cuboids, skeletons, and masks that lie
 * outside of their image
 */
export function cocoShape(shape: FrameShape, frame: DatasetFrame): CocoShape | undefined {
  const { points } = shape;
  switch (shape.type) {
    case 'rectangle':
      return rectangle(points);
    case 'polygon':
      return polygons([points]);
    case 'ellipse':
      return polygons([ellipsePolygon(points, shape.rotation)]);
    case 'mask': {
      const mask = toCocoMask(points, frame.width, frame.height);
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
export function polygons(parts: readonly (readonly number[])[]): CocoShape {
  const segmentation = parts.map((part) => part.map(rounded));
  const area = segmentation.reduce((sum, part) => sum + polygonArea(part), 0);
  return { segmentation, area: rounded(area), bbox: extent(segmentation.flat()), iscrowd: 0 };
}

/** The rotation, if there is one, is an attribute: the box is the one before it. */
function rectangle(points: readonly number[]): CocoShape {
  const bbox = extent(points.map(rounded));
  return { segmentation: [], area: rounded(bbox[2] * bbox[3]), bbox, iscrowd: 0 };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

function extent(points: readonly number[]): Bbox {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    const [x = 0, y = 0] = [points[i], points[i + 1]];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return [left, top, rounded(right - left), rounded(bottom - top)];
}

/** Half the sum of the cross products of neighbours (the shoelace formula). */
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

/** Everything else about an annotation: COCO keeps it under `attributes`. */
export function cocoAttributes(shape: FrameShape, labels: LabelNames): Record<string, CocoValue> {
  const found = Object.fromEntries<CocoValue>(shape.attributes.flatMap((value) => typedValue(value, labels)));
  found['occluded'] = shape.occluded;
  if (shape.type === 'rectangle') found['rotation'] = rounded(shape.rotation);
  if (shape.track !== undefined) found['track_id'] = shape.track;
  return found;
}

/** Checkboxes are truth values and numbers are numbers, if their text is one. */
function typedValue({ spec_id, value }: AttributeValue, labels: LabelNames): [string, CocoValue][] {
  const spec = labels.attribute(spec_id);
  if (spec === undefined) return [];
  if (spec.inputType === 'checkbox' && /^(?:true|false)$/i.test(value))
    return [[spec.name, value.toLowerCase() === 'true']];
  // Only a number that reads the same again may lose its quotes.
  if (spec.inputType === 'number' && String(Number(value)) === value && Number.isFinite(Number(value))) {
    return [[spec.name, Number(value)]];
  }
  return [[spec.name, value]];
}
