import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type Bitmap, contentBox, emptyBitmap, maskBitmap, maskPoints, partOf } from './mask.js';
import { pointsFault } from './model.js';

const anyBitmap: fc.Arbitrary<Bitmap> = fc
  .record({
    left: fc.integer({ min: -5, max: 5 }),
    top: fc.integer({ min: -5, max: 5 }),
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
  })
  .chain(({ left, top, width, height }) => {
    const bitmap = emptyBitmap({ left, top, right: left + width - 1, bottom: top + height - 1 });
    const size = width * height;
    return fc
      .array(fc.constantFrom(0, 0, 1), { minLength: size, maxLength: size })
      .map((pixels) => ({ ...bitmap, pixels: Uint8Array.from(pixels) }));
  });

const EVERYWHERE = { left: -100, top: -100, right: 100, bottom: 100 };

/** The positions of the foreground. */
const foreground = ({ left, top, width, pixels }: Bitmap): string[] =>
  [...pixels.keys()]
    .filter((at) => pixels[at] === 1)
    .map((at) => `${left + (at % width)},${top + Math.floor(at / width)}`);

describe('the points of a mask', () => {
  it('are valid, and give the same bitmap again', () => {
    fc.assert(
      fc.property(anyBitmap, (bitmap) => {
        const points = maskPoints(bitmap);
        expect(pointsFault('mask', points)).toBeUndefined();
        expect(maskBitmap(points, EVERYWHERE)).toEqual(bitmap);
      }),
    );
  });

  it('start with background, also where there is none', () => {
    const bitmap = emptyBitmap({ left: 2, top: 3, right: 3, bottom: 3 });
    expect(maskPoints(bitmap)).toEqual([2, 2, 3, 3, 3]);
    bitmap.pixels[0] = 1;
    expect(maskPoints(bitmap)).toEqual([0, 1, 1, 2, 3, 3, 3]);
  });
});

describe('contentBox', () => {
  it('is the smallest box with the same foreground', () => {
    fc.assert(
      fc.property(anyBitmap, (bitmap) => {
        const box = contentBox(bitmap);
        if (box === undefined) return expect(foreground(bitmap)).toEqual([]);
        const part = partOf(bitmap, box);
        expect(foreground(part)).toEqual(foreground(bitmap));
        const at = foreground(part).map((place) => place.split(',').map(Number));
        const [xs, ys] = [at.map(([x = NaN]) => x), at.map(([, y = NaN]) => y)];
        expect(box).toEqual({
          left: Math.min(...xs),
          top: Math.min(...ys),
          right: Math.max(...xs),
          bottom: Math.max(...ys),
        });
      }),
    );
  });
});
