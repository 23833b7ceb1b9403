import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Box } from '../../shared/annotations/mask.js';
import { BoxIndex } from './box-index.js';

const side = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constantFrom(-1e15, 1e15));
const boxes = fc
  .tuple(side, side, fc.nat(20), fc.nat(20))
  .map(([left, top, width, height]): Box => ({ left, top, right: left + width, bottom: top + height }));
const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

const touch = (a: Box, b: Box): boolean => a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom; // prettier-ignore

describe('BoxIndex', () => {
  it('finds the boxes that overlap or touch another', () => {
    const some = fc.array(fc.option(fc.oneof(boxes, fc.constant(EVERYWHERE)), { nil: undefined }), { maxLength: 30 });
    fc.assert(
      fc.property(some, boxes, (all, wanted) => {
        const expected = [...all.keys()].filter((at) => all[at] !== undefined && touch(all[at], wanted));
        expect(new BoxIndex(all).overlapping(wanted)).toEqual(expected);
      }),
    );
  });

  it('looks at few boxes, even if one is as wide as the image', () => {
    const narrow = Array.from({ length: 1000 }, (_, at) => ({ left: 10 * at, top: 0, right: 10 * at + 9, bottom: 9 }));
    const index = new BoxIndex([...narrow, { left: 0, top: 0, right: 10_000, bottom: 9 }]);
    let looked = 0;
    index.overlapping({ left: 5000, top: 0, right: 5001, bottom: 9 }, (count) => (looked += count));
    expect(looked).toBeLessThan(20);
  });
});
