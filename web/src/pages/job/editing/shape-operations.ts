// Joining, slicing and cropping of regions. This is loaded when it is first needed.
import { hasArea, type Size } from '#shared/annotations/editing/geometry';
import { boxOfImage, emptyBitmap, maskBitmap, trimmedPoints } from '#shared/annotations/mask';
import { maskOutlines } from '#shared/annotations/mask-outlines';
import type { Geometry } from '#shared/annotations/model';
import { unionOfMasks } from './mask-pixels';
import { paintPolygon } from './mask-raster';
import { polygonWithin, unionOfPolygons } from './polygon-regions';
import { geometry, type Outcome, pixelsOf } from './shape-conversion';
import { crossesItself, type Piece, sideOf, slicedOutline } from './slice-outline';

const polygonsOf = (outlines: readonly number[][]): Geometry[] =>
  outlines.map((points) => geometry('polygon', points)).filter(hasArea);

/** Joins polygons that touch each other to a polygon, or masks and polygons to a mask. */
export function joined(shapes: readonly Geometry[], image: Size): Outcome {
  const points = shapes.map((shape) => shape.points);
  if (shapes.every(({ type }) => type === 'polygon')) {
    const polygons = polygonsOf(unionOfPolygons(points));
    if (polygons.length === 1) return { shapes: polygons };
    return { problem: 'These polygons do not touch each other. To join them, convert them to masks first.' };
  }
  const masks = shapes.map((shape) => pixelsOf(shape, image)).filter((pixels) => pixels !== undefined);
  const mask = unionOfMasks(masks, image);
  return mask === undefined
    ? { problem: 'The masks have no pixels in the image.' }
    : { shapes: [geometry('mask', mask)] };
}

/** Cuts a polygon or a mask with a line. A polygon can have more than two pieces, a mask has one on each side of the line. */
export function sliced(shape: Geometry, line: readonly number[], image: Size): Outcome {
  if (crossesItself(line)) return { problem: 'The line crosses itself. Draw it again.' };
  const shapes = shape.type === 'mask' ? slicedMask(shape, line, image) : slicedPolygon(shape, line);
  if (shapes.length > 1) return { shapes };
  return { problem: 'The line does not divide the object. Start on one side of it, and end on another one.' };
}

const SIDES = ['left', 'right'] as const;

function slicedPolygon({ points }: Geometry, line: readonly number[]): Geometry[] {
  const outlines = unionOfPolygons([points]);
  if (outlines.every((outline) => slicedOutline(outline, line) === undefined)) return [];
  const pieces = piecesOf(outlines, line);
  // The slit of a hole can divide a piece, so the pieces of each side are joined.
  return SIDES.flatMap((side) =>
    polygonsOf(unionOfPolygons(pieces.flatMap((piece) => (piece.side === side ? [piece.points] : [])))),
  );
}

/** Each pixel of a mask belongs to exactly one of its pieces, also if the line goes through its centre. */
function slicedMask({ points }: Geometry, line: readonly number[], image: Size): Geometry[] {
  const bitmap = maskBitmap(points, boxOfImage(image));
  if (bitmap === undefined) return [];
  const [left, right] = [emptyBitmap(bitmap), emptyBitmap(bitmap)];
  for (const piece of piecesOf(maskOutlines(bitmap) ?? [], line)) {
    if (piece.side === 'left') paintPolygon(left, piece.points, 1);
  }
  for (const [at, pixel] of bitmap.pixels.entries()) {
    const isLeft = left.pixels[at] === 1;
    left.pixels[at] = isLeft ? pixel : 0;
    right.pixels[at] = isLeft ? 0 : pixel;
  }
  return [left, right]
    .map(trimmedPoints)
    .filter((found) => found !== undefined)
    .map((found) => geometry('mask', found));
}

/** The pieces of several outlines. Those that the line does not divide stay on the side where they are. */
const piecesOf = (outlines: readonly number[][], line: readonly number[]): Piece[] =>
  outlines.flatMap((outline): Piece[] => {
    const [x = 0, y = 0] = outline;
    return slicedOutline(outline, line) ?? [{ points: outline, side: sideOf(line, x, y) }];
  });

/** The parts of a polygon within the image. */
export const croppedPolygon = ({ points }: Geometry, image: Size): Geometry[] =>
  polygonsOf(polygonWithin(points, image));
