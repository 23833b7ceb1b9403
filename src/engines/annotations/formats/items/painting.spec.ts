import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { shapeOf } from '../../../../../test/support/datasets.js';
import { polygonCrossings } from '../../polygon-crossings.js';
import type { FrameShape } from '../annotated-frames.js';
import { colorKey } from './colors.js';
import { bitmapOf } from './conversions.js';
import { extentsByValue } from './mask-images.js';
import { paintedLayers, pendingMasks } from './painting.js';
import { decodePng } from './png.js';
import { polygonBitmap } from './rasterize.js';

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

/** Every pixel of a shape, as `row * width + column`. */
function pixelsOf(shape: FrameShape, width: number, height: number): number[] {
  const bitmap = bitmapOf(shape, { ...FRAME, width, height });
  return [...(bitmap?.pixels ?? [])].flatMap((pixel, at) => {
    const { left = 0, top = 0, width: stride = 1 } = bitmap ?? {};
    return pixel === 1 ? [(top + Math.floor(at / stride)) * width + left + (at % stride)] : [];
  });
}

const FRAME = { frame: 0, number: 0, name: 'a.png' };

describe('polygonBitmap', () => {
  it('has the pixels between two crossings of a column', () => {
    fc.assert(
      fc.property(outline, side, side, (points, width, height) => {
        const inside = new Set<number>();
        const crossings = polygonCrossings(points, width, height);
        for (let at = 0; at < crossings.length; at += 2) {
          for (let position = crossings[at] ?? 0; position < (crossings[at + 1] ?? width * height); position++) {
            inside.add((position % height) * width + Math.floor(position / height));
          }
        }
        const drawn = pixelsOf(shapeOf('polygon', points), width, height);
        expect(drawn).toEqual([...inside].toSorted((a, b) => a - b));
        expect(polygonBitmap(points, width, height) === undefined).toBe(inside.size === 0);
      }),
    );
  });
});

describe('extentsByValue', () => {
  it('finds the same in pixels of every size', () => {
    const values = fc.array(fc.constantFrom(0, 1, 1, 2, 65535), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, side, (pixels, width) => {
        const whole = pixels.slice(0, Math.max(width, pixels.length - (pixels.length % width)));
        while (whole.length % width !== 0) whole.push(1);
        const expected = new Map<number, { area: number; rows: Set<number>; columns: Set<number> }>();
        for (const [at, value] of whole.entries()) {
          const found = expected.get(value) ?? { area: 0, rows: new Set(), columns: new Set() };
          found.area++;
          found.rows.add(Math.floor(at / width));
          found.columns.add(at % width);
          expected.set(value, found);
        }
        const extents = [...expected].map(([value, { area, rows, columns }]) => [
          value,
          {
            left: Math.min(...columns),
            top: Math.min(...rows),
            right: Math.max(...columns),
            bottom: Math.max(...rows),
            area,
          },
        ]);
        expect([...extentsByValue(Uint16Array.from(whole), width)]).toEqual(extents);
        expect([...extentsByValue(Uint32Array.from(whole), width)]).toEqual(extents);
      }),
    );
  });
});

describe('paintedLayers', () => {
  it('shows of each shape what no later shape covers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyShape, { maxLength: 6 }), side, side, async (shapes, width, height) => {
        const frame = { ...FRAME, width, height };
        const masks = pendingMasks(shapes, frame);
        const owners = Array.from({ length: width * height }, () => 0);
        for (const [at, { draw }] of masks.entries()) {
          const bitmap = draw();
          if (bitmap === undefined) continue;
          for (const [pixel, value] of bitmap.pixels.entries()) {
            const row = bitmap.top + Math.floor(pixel / bitmap.width);
            if (value === 1) owners[row * width + bitmap.left + (pixel % bitmap.width)] = at + 1;
          }
        }
        const painted = paintedLayers(frame, masks, (at) => [at + 1, 7, 9]);
        const areas = new Map<number, number>();
        for (const owner of owners) if (owner > 0) areas.set(owner - 1, (areas.get(owner - 1) ?? 0) + 1);
        expect(new Map([...(painted?.visible ?? [])].map(([at, { area }]) => [at, area]))).toEqual(areas);
        if (painted === undefined) return;
        const { data } = decodePng(await painted.png, 'a.png');
        const colors = owners.map((owner) => (owner === 0 ? 0 : colorKey([owner, 7, 9])));
        expect(
          owners.map((_, at) => colorKey([data[3 * at] ?? 0, data[3 * at + 1] ?? 0, data[3 * at + 2] ?? 0])),
        ).toEqual(colors);
      }),
    );
  });
});
