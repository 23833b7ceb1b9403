import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { shapeOf } from '../../../../../test/support/datasets.js';
import { polygonCrossings } from '../../polygon-crossings.js';
import type { FrameShape } from '../annotated-frames.js';
import { colorKey } from './colors.js';
import { bitmapOf } from './conversions.js';
import { DrawingBudget } from './drawing-budget.js';
import { areaMasks, paintedLayers } from './painting.js';
import { decodePng } from './png.js';
import { eachRunOf, type RunBitmap } from '../../run-bitmap.js';

const coordinate = fc.double({ min: -10, max: 40, noNaN: true });
const corners = (count: number) => fc.array(coordinate, { minLength: 2 * count, maxLength: 2 * count });
const outline = fc.integer({ min: 3, max: 7 }).chain(corners);
const side = fc.integer({ min: 1, max: 30 });

const anyShape: fc.Arbitrary<FrameShape> = fc.oneof(
  outline.map((points) => shapeOf('polygon', points)),
  fc
    .tuple(corners(2), fc.integer({ min: 0, max: 359 }))
    .map(([points, rotation]) => shapeOf('rectangle', points, { rotation })),
  fc.tuple(coordinate, coordinate, side, side).map(([x, y, rx, ry]) => shapeOf('ellipse', [x, y, x + rx, y - ry])),
  side.map((size) => shapeOf('mask', [size, size * size, 3, 2, 2 + size, 2 + size])),
);

/** Every pixel, as `row * width + column`. */
function pixelsIn(bitmap: RunBitmap | undefined, width: number): number[] {
  const pixels: number[] = [];
  const add = (row: number, start: number, end: number): void => {
    for (let column = start; column < end; column++) pixels.push(row * width + column);
  };
  if (bitmap !== undefined) eachRunOf(bitmap, add);
  return pixels;
}

const FRAME = { frame: 0, number: 0, name: 'a.png' };

describe('bitmapOf', () => {
  it('draws a polygon with the pixels between two crossings of a column', () => {
    fc.assert(
      fc.property(outline, side, side, (points, width, height) => {
        const inside = new Set<number>();
        const crossings = polygonCrossings(points, width, height);
        for (let at = 0; at < crossings.length; at += 2) {
          for (let position = crossings[at] ?? 0; position < (crossings[at + 1] ?? width * height); position++) {
            inside.add((position % height) * width + Math.floor(position / height));
          }
        }
        const frame = { ...FRAME, width, height };
        const drawn = bitmapOf(shapeOf('polygon', points), frame, new DrawingBudget(frame));
        expect(pixelsIn(drawn, width)).toEqual([...inside].toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('paintedLayers', () => {
  it('shows of each shape what no later shape covers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyShape, { maxLength: 6 }), side, side, async (shapes, width, height) => {
        const frame = { ...FRAME, width, height };
        const masks = areaMasks(shapes, frame);
        const owners = Array.from({ length: width * height }, () => 0);
        for (const [at, { bitmap }] of masks.entries())
          for (const pixel of pixelsIn(bitmap, width)) owners[pixel] = at + 1;
        const painted = paintedLayers(frame, masks, (at) => [at + 1, 7, 9]);
        const areas = new Map<number, number>();
        for (const owner of owners) if (owner > 0) areas.set(owner - 1, (areas.get(owner - 1) ?? 0) + 1);
        expect(new Map([...(painted?.visible ?? [])].map(([at, { area }]) => [at, area]))).toEqual(areas);
        if (painted === undefined) return;
        const { data } = await decodePng(await painted.png, 'a.png');
        const colors = owners.map((owner) => (owner === 0 ? 0 : colorKey([owner, 7, 9])));
        expect(
          owners.map((_, at) => colorKey([data[3 * at] ?? 0, data[3 * at + 1] ?? 0, data[3 * at + 2] ?? 0])),
        ).toEqual(colors);
      }),
    );
  });
});
