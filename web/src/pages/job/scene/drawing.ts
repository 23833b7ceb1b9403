import { rotatePoint } from '#shared/annotations/editing/geometry';
import { maskBitmap } from '#shared/annotations/mask';
import { MASK_BOX, type ShapeElement } from '#shared/annotations/model';
import { isSpatialCuboid } from '#shared/annotations/spatial-cuboid';

/** An axis-aligned box in pixels of the image. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The geometry of an annotation in pixels of the image. Points are flat: x, y, x, y … */
export type Drawing =
  | { readonly kind: 'path'; readonly points: readonly number[]; readonly closed: boolean; readonly filled: boolean }
  | {
      readonly kind: 'ellipse';
      readonly cx: number;
      readonly cy: number;
      readonly rx: number;
      readonly ry: number;
      /** Radians, clockwise. */
      readonly angle: number;
    }
  | {
      readonly kind: 'dots';
      readonly points: readonly number[];
      /** Drawn as rings: points that are occluded. */
      readonly isHollow?: boolean;
    }
  /** Runs row by row within a box, then the box; see the layout of masks. */
  | { readonly kind: 'mask'; readonly points: readonly number[] };

const RADIANS = Math.PI / 180;

type DrawnElement = Pick<ShapeElement, 'type' | 'points' | 'rotation'> & Partial<Pick<ShapeElement, 'occluded'>>;

/**
 * @param shape a single shape or an element of a skeleton
 * @returns its geometry, or nothing for skeletons, which consist of elements and edges
 */
export function drawingsOf({ type, points, rotation, occluded = false }: DrawnElement): Drawing[] {
  switch (type) {
    case 'rectangle':
      return [{ kind: 'path', points: rectangleCorners(points, rotation), closed: true, filled: true }];
    case 'ellipse': {
      const [cx = 0, cy = 0, right = 0, top = 0] = points;
      return [{ kind: 'ellipse', cx, cy, rx: Math.abs(right - cx), ry: Math.abs(cy - top), angle: rotation * RADIANS }];
    }
    case 'polygon':
      return [{ kind: 'path', points, closed: true, filled: true }];
    case 'polyline':
      return [{ kind: 'path', points, closed: false, filled: false }];
    case 'points':
      return [{ kind: 'dots', points, ...(occluded ? { isHollow: true } : {}) }];
    case 'cuboid':
      return isSpatialCuboid(points) ? [] : cuboidDrawings(points);
    case 'mask':
      return [{ kind: 'mask', points }];
    case 'skeleton':
      return [];
  }
}

/**
 * @param points two opposite corners x1, y1, x2, y2
 * @param rotation degrees clockwise about the centre
 * @returns four corners, clockwise
 */
export function rectangleCorners(points: readonly number[], rotation: number): number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points;
  if (rotation % 360 === 0) return [x1, y1, x2, y1, x2, y2, x1, y2];
  const turn = (x: number, y: number): [number, number] => rotatePoint(x, y, (x1 + x2) / 2, (y1 + y2) / 2, rotation);
  return [...turn(x1, y1), ...turn(x2, y1), ...turn(x2, y2), ...turn(x1, y2)];
}

const FRONT = [0, 1, 3, 2];
const BACK = [4, 5, 7, 6];
/** Pairs of front and back corners that edges may connect. Clients number the back face from either side. */
const JOINTS: readonly (readonly (readonly [number, number])[])[] = [
  [
    [0, 6],
    [1, 7],
    [2, 4],
    [3, 5],
  ],
  [
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
  ],
];

/** Draws a cuboid of eight corners: two faces, and the pairing of corners with the shorter edges. */
function cuboidDrawings(points: readonly number[]): Drawing[] {
  const corner = (index: number): [number, number] => [points[index * 2] ?? 0, points[index * 2 + 1] ?? 0];
  const edge = (from: number, to: number): number[] => [...corner(from), ...corner(to)];
  const length = (joints: readonly (readonly [number, number])[]): number =>
    joints.reduce((sum, [from, to]) => {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edge(from, to);
      return sum + Math.hypot(x2 - x1, y2 - y1);
    }, 0);
  const [first = [], second = []] = JOINTS;
  const joints = length(first) <= length(second) ? first : second;
  return [
    { kind: 'path', points: BACK.flatMap(corner), closed: true, filled: false },
    ...joints.map(([from, to]): Drawing => ({ kind: 'path', points: edge(from, to), closed: false, filled: false })),
    { kind: 'path', points: FRONT.flatMap(corner), closed: true, filled: true },
  ];
}

/** @returns the bounding box of drawings, or undefined if there are none */
export function boundsOf(drawings: readonly Drawing[]): Bounds | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x: number, y: number): void => {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  };
  for (const drawing of drawings) {
    if (drawing.kind === 'ellipse') {
      const { cx, cy, rx, ry, angle } = drawing;
      const halfWidth = Math.hypot(rx * Math.cos(angle), ry * Math.sin(angle));
      const halfHeight = Math.hypot(rx * Math.sin(angle), ry * Math.cos(angle));
      add(cx - halfWidth, cy - halfHeight);
      add(cx + halfWidth, cy + halfHeight);
    } else if (drawing.kind === 'mask') {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = drawing.points.slice(-MASK_BOX);
      add(x1, y1);
      add(x2 + 1, y2 + 1);
    } else {
      for (let i = 0; i < drawing.points.length; i += 2) add(drawing.points[i] ?? 0, drawing.points[i + 1] ?? 0);
    }
  }
  return left <= right ? { left, top, right, bottom } : undefined;
}

/** The pixels of a mask, for a canvas. */
export interface MaskPixels {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, opacity for each pixel, row by row. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

/**
 * @param points of a mask
 * @param image size that the mask is cropped to
 * @param color of the foreground, 0xrrggbb
 * @returns undefined if nothing lies within the image
 */
export function maskPixels(
  points: readonly number[],
  image: { readonly width: number; readonly height: number },
  color: number,
): MaskPixels | undefined {
  const limit = { left: 0, top: 0, right: image.width - 1, bottom: image.height - 1 };
  const bitmap = maskBitmap(points, limit);
  if (bitmap === undefined) return undefined;
  const { left, top, width, height, pixels } = bitmap;
  const rgba = new Uint8ClampedArray(width * height * 4);
  // The order of the four bytes of a number depends on the machine.
  const words = new Uint32Array(rgba.buffer);
  const [word = 0] = new Uint32Array(Uint8Array.of((color >> 16) & 255, (color >> 8) & 255, color & 255, 255).buffer);
  for (let at = 0; at < pixels.length; at++) if (pixels[at] === 1) words[at] = word;
  return { left, top, width, height, rgba };
}
