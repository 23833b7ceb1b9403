import type { Point } from '#shared/annotations/editing/geometry';
import { type Box, emptyBitmap } from '#shared/annotations/mask';
import * as fc from 'fast-check';
import { distanceToPath, insidePolygon } from '../scene/hit';
import { type Brush, centred, paintPolygon, paintStroke } from './mask-raster';

const IMAGE = { left: 0, top: 0, right: 23, bottom: 17 };
const anyPoint = fc.record({
  x: fc.double({ min: -8, max: 32, noNaN: true }),
  y: fc.double({ min: -8, max: 26, noNaN: true }),
});
const anyBrush: fc.Arbitrary<Brush> = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  form: fc.constantFrom('round', 'square'),
});

/** The least distance of a point from a line, in the measure of the brush. It is convex along the line. */
function distance({ form }: Brush, point: Point, from: Point, to: Point): number {
  const at = (share: number): number => {
    const [dx, dy] = [from.x + share * (to.x - from.x) - point.x, from.y + share * (to.y - from.y) - point.y];
    return form === 'round' ? Math.hypot(dx, dy) : Math.max(Math.abs(dx), Math.abs(dy));
  };
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step += 1) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(a) <= at(b)) high = b;
    else low = a;
  }
  return at(low);
}

const NEAR = 1e-6;
const isWithin = ({ left, top, right, bottom }: Box, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

describe('paintStroke', () => {
  it('sets the pixels whose centres the brush covers on its way', () => {
    fc.assert(
      fc.property(anyPoint, anyPoint, anyBrush, (from, to, brush) => {
        const bitmap = emptyBitmap(IMAGE);
        const box = paintStroke(bitmap, from, to, brush, 1);
        const [start, end] = [centred(from, brush), centred(to, brush)];
        const wrong = [...bitmap.pixels].flatMap((pixel, at) => {
          const [x, y] = [at % bitmap.width, Math.floor(at / bitmap.width)];
          const away = distance(brush, { x: x + 0.5, y: y + 0.5 }, start, end) - brush.size / 2;
          const isWrong = Math.abs(away) > NEAR && pixel !== (away < 0 ? 1 : 0);
          const isOutside = pixel === 1 && (box === undefined || !isWithin(box, x, y));
          return isWrong || isOutside ? [[x, y]] : [];
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('sets as many pixels as the size of a square brush, wherever it is in a pixel', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 8, max: 10, noNaN: true }),
        fc.double({ min: 8, max: 10, noNaN: true }),
        fc.integer({ min: 1, max: 7 }),
        (x, y, size) => {
          const bitmap = emptyBitmap(IMAGE);
          paintStroke(bitmap, { x, y }, { x, y }, { size, form: 'square' }, 1);
          expect(bitmap.pixels.reduce((sum, pixel) => sum + pixel, 0)).toBe(size * size);
        },
      ),
    );
  });

  it('erases', () => {
    const bitmap = emptyBitmap(IMAGE);
    bitmap.pixels.fill(1);
    const at = { x: 5.5, y: 5.5 };
    expect(paintStroke(bitmap, at, at, { size: 1, form: 'round' }, 0)).toEqual({
      left: 5,
      top: 5,
      right: 5,
      bottom: 5,
    });
    expect(bitmap.pixels.indexOf(0)).toBe(5 * bitmap.width + 5);
    expect(bitmap.pixels.lastIndexOf(0)).toBe(5 * bitmap.width + 5);
  });

  it('changes nothing outside the image', () => {
    const at = { x: -20, y: 5 };
    expect(paintStroke(emptyBitmap(IMAGE), at, at, { size: 9, form: 'square' }, 1)).toBeUndefined();
  });
});

describe('paintPolygon', () => {
  const anyTriangle = fc.array(fc.double({ min: -5, max: 30, noNaN: true }), { minLength: 6, maxLength: 6 });

  it('sets the pixels whose centres are inside', () => {
    fc.assert(
      fc.property(anyTriangle, (points) => {
        const bitmap = emptyBitmap(IMAGE);
        paintPolygon(bitmap, points, 1);
        const wrong = [...bitmap.pixels.keys()].filter((at) => {
          const [x, y] = [(at % bitmap.width) + 0.5, Math.floor(at / bitmap.width) + 0.5];
          const isInside = insidePolygon(points, x, y);
          return distanceToPath(points, true, x, y) > NEAR && bitmap.pixels[at] !== (isInside ? 1 : 0);
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('fills where an outline goes round twice', () => {
    const bitmap = emptyBitmap(IMAGE);
    const twice = [2, 2, 8, 2, 8, 8, 2, 8];
    paintPolygon(bitmap, [...twice, ...twice], 1);
    expect(bitmap.pixels.reduce((sum, pixel) => sum + pixel, 0)).toBe(36);
  });
});
