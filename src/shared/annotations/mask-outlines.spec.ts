import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type Bitmap, emptyBitmap } from './mask.js';
import { maskOutlines, MAX_OUTLINE } from './mask-outlines.js';

/** A picture of `x` and `.`, its upper left pixel at 5, 7. */
function bitmapOf(...rows: string[]): Bitmap {
  const bitmap = emptyBitmap({ left: 5, top: 7, right: 4 + (rows[0]?.length ?? 0), bottom: 6 + rows.length });
  bitmap.pixels.set([...rows.join('')].map((sign) => (sign === 'x' ? 1 : 0)));
  return bitmap;
}

/** How often the polygon goes round the centre of a pixel, clockwise. */
function winding(points: readonly number[], x: number, y: number): number {
  const at = (index: number): number => points[index] ?? 0;
  let count = 0;
  for (let i = 0; i < points.length; i += 2) {
    const next = (i + 2) % points.length;
    const [x1, y1, x2, y2] = [at(i), at(i + 1), at(next), at(next + 1)];
    if (x1 !== x2 || x1 < x) continue;
    if (y1 < y && y2 > y) count += 1;
    if (y1 > y && y2 < y) count -= 1;
  }
  return count;
}

function eachPixel({ left, top, width, height, pixels }: Bitmap, look: (x: number, y: number, set: number) => void) {
  pixels.forEach((pixel, at) => look(left + (at % width) + 0.5, top + Math.floor(at / width) + 0.5, pixel));
  expect(pixels).toHaveLength(width * height);
}

/** Regions of pixels with common sides. */
function regions({ width, height, pixels }: Bitmap): number {
  const left = new Set([...pixels.keys()].filter((at) => pixels[at] === 1));
  let count = 0;
  for (const start of left) {
    count += 1;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (!left.delete(at)) continue;
      const x = at % width;
      if (x > 0) open.push(at - 1);
      if (x < width - 1) open.push(at + 1);
      open.push(at - width, at + width);
    }
  }
  expect(height).toBeGreaterThan(0);
  return count;
}

const anyBitmap = fc
  .record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 9 }) })
  .chain(({ width, height }) =>
    fc
      .array(fc.constantFrom('x', 'x', '.'), { minLength: width * height, maxLength: width * height })
      .map((signs) =>
        bitmapOf(...Array.from({ length: height }, (_, y) => signs.slice(y * width, (y + 1) * width).join(''))),
      ),
  );

describe('maskOutlines', () => {
  it('follows the outline of a region', () => {
    expect(maskOutlines(bitmapOf('xx', 'xx'))).toEqual([[7, 7, 7, 9, 5, 9, 5, 7]]);
    expect(maskOutlines(bitmapOf('xx', 'x.'))).toEqual([[7, 7, 7, 8, 6, 8, 6, 9, 5, 9, 5, 7]]);
  });

  it('gives nothing for nothing', () => {
    expect(maskOutlines(bitmapOf('..', '..'))).toEqual([]);
  });

  it('parts what meets at corners alone', () => {
    expect(maskOutlines(bitmapOf('x.', '.x'))).toHaveLength(2);
  });

  it('joins the edge of a hole by a slit', () => {
    const [ring, ...others] = maskOutlines(bitmapOf('xxx', 'x.x', 'xxx')) ?? [];
    expect(others).toEqual([]);
    expect(ring).toEqual([8, 7, 8, 10, 5, 10, 5, 8, 6, 8, 6, 9, 7, 9, 7, 8, 5, 8, 5, 7]);
  });

  it('covers exactly the pixels of the mask, one polygon for each region', () => {
    fc.assert(
      fc.property(anyBitmap, (bitmap) => {
        const outlines = maskOutlines(bitmap) ?? [];
        expect(outlines).toHaveLength(regions(bitmap));
        eachPixel(bitmap, (x, y, set) => {
          const turns = outlines.map((points) => winding(points, x, y)).filter((count) => count !== 0);
          expect(turns).toEqual(set === 1 ? [1] : []);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('gives up where there is nothing but noise', () => {
    const size = Math.ceil(Math.sqrt(MAX_OUTLINE / 2)) + 2;
    const noise = emptyBitmap({ left: 0, top: 0, right: size - 1, bottom: size - 1 });
    noise.pixels.forEach((_, at) => (noise.pixels[at] = (at + Math.floor(at / size)) % 2));
    expect(maskOutlines(noise)).toBeUndefined();
  });
});
