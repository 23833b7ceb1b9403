import { maskPoints, emptyBitmap } from '#shared/annotations/mask';
import * as fc from 'fast-check';
import { MaskPainting } from './mask-painting';
import { unionOfMasks, withoutPixels } from './mask-pixels';

const SIZE = { width: 12, height: 9 };

const anyMask = fc
  .array(fc.constantFrom(0, 0, 1), { minLength: SIZE.width * SIZE.height, maxLength: SIZE.width * SIZE.height })
  .map((pixels) => ({ ...emptyBitmap({ left: 0, top: 0, right: 11, bottom: 8 }), pixels: Uint8Array.from(pixels) }));

const pixelsOf = (points: readonly number[] | undefined): number[] => [...new MaskPainting(SIZE, points).bitmap.pixels];

describe('pixels of masks', () => {
  it('are removed, and joined', () => {
    fc.assert(
      fc.property(anyMask, anyMask, (first, second) => {
        const [a, b] = [maskPoints(first), maskPoints(second)];
        const without = withoutPixels(a, b, SIZE);
        const left = [...first.pixels].map((pixel, at) => (second.pixels[at] === 1 ? 0 : pixel));
        expect(pixelsOf(without === 'same' ? a : without)).toEqual(left);
        const either = [...first.pixels].map((pixel, at) => (second.pixels[at] === 1 ? 1 : pixel));
        expect(pixelsOf(unionOfMasks([a, b], SIZE))).toEqual(either);
      }),
    );
  });

  it('are the same where masks do not overlap, and gone where one covers the other', () => {
    const [left, right] = [
      [0, 4, 0, 0, 1, 1],
      [0, 4, 5, 5, 6, 6],
    ];
    expect(withoutPixels(left ?? [], right ?? [], SIZE)).toBe('same');
    expect(withoutPixels(left ?? [], [0, 25, 0, 0, 4, 4], SIZE)).toBeUndefined();
  });
});
