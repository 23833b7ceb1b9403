import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { shapeOf } from '../../../../../test/support/datasets.js';
import { bitmapOf } from './conversions.js';
import { DrawingBudget } from './drawing-budget.js';
import { ellipseBitmap } from './ellipse.js';
import { eachRunOf, type RunBitmap } from '../../run-bitmap.js';

function pixelsIn(bitmap: RunBitmap | undefined): Set<string> {
  const pixels = new Set<string>();
  const add = (row: number, start: number, end: number): void => {
    for (let column = start; column < end; column++) pixels.add(`${column} ${row}`);
  };
  if (bitmap !== undefined) eachRunOf(bitmap, add);
  return pixels;
}

/** What is in the image of a larger one around it. */
function cut(pixels: Set<string>, by: number, width: number, height: number): Set<string> {
  const inside = [...pixels].map((pixel) => pixel.split(' ').map((value) => Number(value) - by));
  const kept = inside.filter(([x = 0, y = 0]) => x >= 0 && y >= 0 && x < width && y < height);
  return new Set(kept.map((position) => position.join(' ')));
}

describe('ellipseBitmap', () => {
  it('has the same pixels at the edges of an image as inside of a larger one', () => {
    const [centre, radius] = [fc.integer({ min: -60, max: 80 }), fc.integer({ min: 0, max: 60 })];
    fc.assert(
      fc.property(centre, centre, radius, radius, fc.nat(360), (x, y, rx, ry, rotation) => {
        const points = [x, y, x + rx, y - ry];
        const [width, height, around] = [30, 20, 130];
        const larger = { width: width + 2 * around, height: height + 2 * around };
        const whole = ellipseBitmap(points.map((value) => value + around), rotation, larger); // prettier-ignore
        const drawn = pixelsIn(ellipseBitmap(points, rotation, { width, height }));
        expect(drawn).toEqual(cut(pixelsIn(whole), around, width, height));
      }),
      { numRuns: 300 },
    );
  });

  it('takes no longer the larger the ellipse is', () => {
    for (const radius of [1e9, 1e15]) {
      for (const rotation of [0, 30]) {
        const bitmap = ellipseBitmap([2, 2, 2 + radius, 2 - radius], rotation, { width: 5, height: 4 });
        expect(pixelsIn(bitmap).size).toBe(20);
      }
    }
  });
});

describe('drawing the shapes of an image', () => {
  const frame = { frame: 0, number: 0, name: 'a.png', width: 8000, height: 6000 };
  const zigzag = Array.from({ length: 3000 }, (_, at) => [at % 2 === 0 ? 0 : 8000, 2 * at]).flat();

  it('is refused with the name of the image if a polygon crosses it thousands of times', () => {
    expect(() => bitmapOf(shapeOf('polygon', zigzag), frame, new DrawingBudget(frame))).toThrow(
      "The image 'a.png' cannot be drawn: a polygon crosses more than 1000000 columns of pixels. Remove shapes, or simplify them.",
    );
  });

  it('is refused with the name of the image if thousands of shapes cover all of it', () => {
    const budget = new DrawingBudget(frame);
    const cover = (): unknown => bitmapOf(shapeOf('ellipse', [0, 0, 1e9, -1e9]), frame, budget);
    const all = (): unknown[] => Array.from({ length: 10_000 }, cover);
    expect(all).toThrow("The image 'a.png' cannot be drawn: its shapes are too many and too large.");
  });
});
