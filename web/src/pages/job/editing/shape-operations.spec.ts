import type { Geometry } from '#shared/annotations/model';
import * as fc from 'fast-check';
import { MaskPainting } from './mask-painting';
import { joined, sliced } from './shape-operations';
import { converted, type Outcome } from './shape-conversion';
import { crossesItself } from './slice-outline';

const IMAGE = { width: 40, height: 30 };

const shape = (type: Geometry['type'], points: number[], rotation = 0): Geometry => ({ type, points, rotation });
const box = (left: number, top: number, right: number, bottom: number): number[] => [
  left,
  top,
  right,
  top,
  right,
  bottom,
  left,
  bottom,
];
/** A mask that fills a box; the edges belong to it. */
const boxMask = (left: number, top: number, right: number, bottom: number): Geometry =>
  shape('mask', [0, (right - left + 1) * (bottom - top + 1), left, top, right, bottom]);
const shapesOf = (outcome: Outcome): readonly Geometry[] => ('shapes' in outcome ? outcome.shapes : []);
const pixelsOf = ({ points }: Geometry): number[] => [...new MaskPainting(IMAGE, points).bitmap.pixels];

const anyMask = fc
  .array(
    fc.record({
      left: fc.integer({ min: 0, max: 30 }),
      top: fc.integer({ min: 0, max: 20 }),
      side: fc.integer({ min: 0, max: 9 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map(
    (squares) =>
      shapesOf(
        joined(
          squares.map(({ left, top, side }) => boxMask(left, top, left + side, top + side)),
          IMAGE,
        ),
      )[0],
  )
  .filter((mask) => mask !== undefined);

describe('joining', () => {
  it('makes a polygon of polygons that touch', () => {
    const [polygon, ...others] = shapesOf(
      joined([shape('polygon', box(0, 0, 10, 10)), shape('polygon', box(10, 0, 20, 10))], IMAGE),
    );
    expect([polygon?.type, others]).toEqual(['polygon', []]);
  });

  it('refuses polygons that do not touch', () => {
    expect(joined([shape('polygon', box(0, 0, 5, 5)), shape('polygon', box(10, 0, 20, 10))], IMAGE)).toHaveProperty(
      'problem',
    );
  });

  it('makes a mask of masks and polygons', () => {
    const [mask, ...others] = shapesOf(joined([boxMask(0, 0, 9, 9), shape('polygon', box(20, 10, 30, 20))], IMAGE));
    expect([mask?.type, others]).toEqual(['mask', []]);
    expect(mask?.points.slice(-4)).toEqual([0, 0, 29, 19]);
    expect(mask === undefined ? 0 : pixelsOf(mask).filter((pixel) => pixel === 1).length).toBe(200);
  });
});

describe('slicing', () => {
  it('divides the pixels of a mask between two masks', () => {
    const anyLine = fc
      .array(fc.integer({ min: 0, max: 30 }), { minLength: 4, maxLength: 8 })
      .map((line) => (line.length % 2 === 0 ? line : line.slice(1)));
    fc.assert(
      fc.property(anyMask, anyLine, (mask, line) => {
        fc.pre(!crossesItself(line));
        const pieces = shapesOf(sliced(mask, line, IMAGE));
        if (pieces.length === 0) return;
        expect(pieces).toHaveLength(2);
        const [first = [], second = []] = pieces.map(pixelsOf);
        expect(first.map((pixel, at) => pixel + (second[at] ?? 0))).toEqual(pixelsOf(mask));
      }),
    );
  });

  it('gives a pixel whose centre is on the line to one mask only', () => {
    const mask = boxMask(0, 0, 4, 4);
    const pieces = shapesOf(sliced(mask, [3, 4, 28, 9], IMAGE));
    expect(pieces).toHaveLength(2);
    const [first = [], second = []] = pieces.map(pixelsOf);
    expect(first.map((pixel, at) => pixel + (second[at] ?? 0))).toEqual(pixelsOf(mask));
  });

  it('divides the pixels between two masks also if the line goes back over itself', () => {
    const mask = boxMask(0, 0, 2, 2);
    const pieces = shapesOf(sliced(mask, [2, 1, 2, 0, 0, 0, 10, 6], IMAGE));
    expect(pieces).toHaveLength(2);
    const [first = [], second = []] = pieces.map(pixelsOf);
    expect(first.map((pixel, at) => pixel + (second[at] ?? 0))).toEqual(pixelsOf(mask));
  });

  it('makes a polygon of each piece, also of one whose edges cross', () => {
    const bow = shape('polygon', [0, 0, 20, 20, 20, 0, 0, 20]);
    expect(shapesOf(sliced(bow, [0, 10, 20, 10], IMAGE))).toHaveLength(4);
    expect(shapesOf(sliced(shape('polygon', box(0, 0, 10, 10)), [5, 0, 5, 10], IMAGE))).toHaveLength(2);
  });

  it('keeps the hole of a polygon, whose slit divides nothing', () => {
    const ring = [0, 0, 10, 0, 10, 10, 0, 10, 0, 5, 4, 5, 4, 6, 6, 6, 6, 4, 4, 4, 4, 5, 0, 5];
    const pieces = shapesOf(sliced(shape('polygon', ring), [2, 0, 2, 10], IMAGE));
    expect(pieces).toHaveLength(2);
    const masks = pieces.map((piece) => shapesOf(converted(piece, 'mask', IMAGE))[0]);
    expect(
      masks
        .map((mask) => (mask && pixelsOf(mask).filter((pixel) => pixel === 1).length) ?? 0)
        .toSorted((a, b) => a - b),
    ).toEqual([20, 76]);
  });

  it('says why it is not possible', () => {
    const square = shape('polygon', box(0, 0, 10, 10));
    expect(sliced(square, [20, 0, 20, 20], IMAGE)).toHaveProperty('problem');
    expect(sliced(square, [0, 0, 9, 9, 9, 0, 0, 9], IMAGE)).toHaveProperty('problem');
  });
});

describe('conversion', () => {
  it('of a mask to polygons and back keeps its pixels, except along slanted edges', () => {
    const mask = boxMask(3, 4, 20, 12);
    const polygons = shapesOf(converted(mask, 'polygon', IMAGE));
    expect(polygons.map(({ points }) => points)).toEqual([[21, 4, 21, 13, 3, 13, 3, 4]]);
    const [back] = shapesOf(converted(polygons[0] ?? mask, 'mask', IMAGE));
    expect(back).toEqual(mask);
  });

  it('makes a polygon of each region of a mask, within a pixel of its edge', () => {
    const [mask] = shapesOf(joined([boxMask(0, 0, 4, 4), boxMask(10, 10, 10, 10)], IMAGE));
    expect(shapesOf(converted(mask ?? boxMask(0, 0, 0, 0), 'polygon', IMAGE)).map(({ points }) => points)).toEqual([
      [5, 0, 5, 5, 0, 5, 0, 0],
      [11, 10, 11, 11, 10, 11, 10, 10],
    ]);
  });

  it('makes few vertices of a round mask', () => {
    const [disc] = shapesOf(converted(shape('ellipse', [20, 15, 34, 1]), 'mask', IMAGE));
    const [polygon] = shapesOf(converted(disc ?? boxMask(0, 0, 0, 0), 'polygon', IMAGE));
    const vertices = (polygon?.points.length ?? 0) / 2;
    expect(vertices).toBeGreaterThan(7);
    expect(vertices).toBeLessThan(40);
  });

  it('of a rotated rectangle has its corners', () => {
    const [polygon] = shapesOf(converted(shape('rectangle', [10, 10, 20, 14], 90), 'polygon', IMAGE));
    expect(polygon?.points.map(Math.round)).toEqual([17, 7, 17, 17, 13, 17, 13, 7]);
  });

  it('to a rectangle is the box around the shape', () => {
    expect(shapesOf(converted(shape('polygon', [3, 4, 9, 5, 6, 20]), 'rectangle', IMAGE))[0]?.points).toEqual([
      3, 4, 9, 20,
    ]);
    expect(shapesOf(converted(boxMask(3, 4, 8, 9), 'rectangle', IMAGE))[0]?.points).toEqual([3, 4, 9, 10]);
  });

  it('needs pixels for a mask', () => {
    expect(converted(shape('polygon', [3, 4, 3.2, 4, 3.2, 4.2]), 'mask', IMAGE)).toHaveProperty('problem');
  });
});
