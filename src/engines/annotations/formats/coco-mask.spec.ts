import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskPoints, pixelsOf } from '../../../../test/support/datasets.js';
import { type CocoMask, decompressCounts, fromCocoRle, rleFault, toCocoMask as maskOf } from './coco-mask.js';
import { maskBitmap } from '../rasterize.js';
import { maskPointsOf, TooManyRuns } from '../run-bitmap.js';

function toCocoMask(points: readonly number[], width: number, height: number): CocoMask | undefined {
  const bitmap = maskBitmap(points, { width, height });
  return bitmap && maskOf(bitmap, { width, height });
}

describe('COCO masks', () => {
  it('keep their pixels when converted to columns and back', () => {
    fc.assert(
      fc.property(maskPoints, (points) => {
        const mask = toCocoMask(points, 64, 48);
        const pixels = pixelsOf(points);
        expect(mask?.area ?? 0).toBe(pixels.size);
        if (mask === undefined) return;
        expect(rleFault(mask.rle)).toBeUndefined();
        const bitmap = fromCocoRle(mask.rle);
        expect(bitmap && pixelsOf(maskPointsOf(bitmap))).toEqual(pixels);
      }),
    );
  });

  it('are written column by column', () => {
    // .x
    // xx  at (1, 0) of 3 x 2 pixels
    expect(toCocoMask([1, 3, 1, 0, 2, 1], 3, 2)).toEqual({
      rle: { size: [2, 3], counts: [3, 3] },
      area: 3,
      bbox: [1, 0, 2, 2],
    });
  });

  it('are clipped to the image, however large their box is', () => {
    const side = 3_000_000;
    const points = [0, side * side, -1_000_000, -1_000_000, side - 1_000_001, side - 1_000_001];
    expect(toCocoMask(points, 5, 4)).toMatchObject({ area: 20, bbox: [0, 0, 5, 4], rle: { counts: [0, 20] } });
    expect(toCocoMask([0, 4, 70, 70, 71, 71], 64, 48)).toBeUndefined();
  });

  it('take no longer the more pixels they have', () => {
    const bitmap = fromCocoRle({ size: [5e6, 5e6], counts: [5e6 + 1, 3, 25e12 - 5e6 - 4] });
    expect(bitmap && maskPointsOf(bitmap)).toEqual([0, 3, 1, 1, 1, 3]);
  });

  it('are refused if they have more runs along the rows than any object', () => {
    const stripes = Array.from({ length: 4001 }, () => 4000);
    expect(() => fromCocoRle({ size: [4000, 4001], counts: stripes })).toThrow(TooManyRuns);
  });

  it('are decoded from the compressed form', () => {
    // The form in which pycocotools writes the counts 6, 1, 40, 4, 5, 4, 5, 4, 21.
    expect(decompressCounts('61X13mN000`0')).toEqual([6, 1, 40, 4, 5, 4, 5, 4, 21]);
    expect(decompressCounts('~~')).toBeUndefined();
    expect(decompressCounts('6P')).toBeUndefined();
  });
});
