import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { qualityLabel, shapeObject } from '../../../test/support/quality-objects.js';
import { finish } from '../concurrency/steps.js';
import { compareFrame } from './compare-frame.js';
import type { FrameObject } from './frame-objects.js';
import { ReportLabels } from './labels.js';
import { maskBitmap } from '../../shared/annotations/mask.js';
import { areaOf, maskRegion, polygonRegion, sharedArea, unionOf, without } from './regions.js';
import { frameDocument } from './report.js';
import { DEFAULT_COMPARISON } from './settings.js';

const size = { width: 120, height: 90 };
const names = new ReportLabels([qualityLabel(1, 'car'), qualityLabel(2, 'person')]);

const compare = (groundTruth: readonly FrameObject[], annotations: readonly FrameObject[], settings = {}) =>
  compareFrame({ frame: 0, size, groundTruth, annotations }, { ...DEFAULT_COMPARISON, ...settings }, names);

const coordinate = (max: number) => fc.integer({ min: 0, max: max * 10 }).map((value) => value / 10);
const place = fc.record({ x: coordinate(90), y: coordinate(60), w: coordinate(20), h: coordinate(20) });

const pointsOf = (kind: FrameObject['kind'], x: number, y: number, w: number, h: number): number[] => {
  switch (kind) {
    case 'tag':
      return [];
    case 'ellipse':
      return [x + w, y + h, x + 2 * w, y];
    case 'mask': {
      const [left, top, width, height] = [Math.floor(x), Math.floor(y), Math.ceil(w), Math.ceil(h)];
      return [0, width * height, left, top, left + width - 1, top + height - 1];
    }
    case 'polygon':
      return [x, y, x + w, y, x + w, y + h];
    case 'points':
      return [x, y];
    default:
      return [x, y, x + w, y + h];
  }
};

/** Annotations of one frame, at least 3 pixels wide and high. */
const objects = fc.array(
  fc.record({
    kind: fc.constantFrom('tag', 'rectangle', 'ellipse', 'polygon', 'mask', 'polyline', 'points'),
    place,
    labelId: fc.constantFrom(1, 2),
    zOrder: fc.integer({ min: 0, max: 2 }),
    rotation: fc.constantFrom(0, 0, 30),
  }),
  { maxLength: 10 },
);

const toObjects = (given: typeof objects extends fc.Arbitrary<infer T> ? T : never): FrameObject[] =>
  given
    .map(({ kind, place: { x, y, w, h }, rotation, ...rest }, at) => {
      const points = pointsOf(kind, x, y, w + 3, h + 3);
      const isTurned = kind === 'rectangle' || kind === 'ellipse';
      const type = kind === 'tag' ? ('tag' as const) : ('shape' as const);
      return shapeObject({
        ...rest,
        id: at + 1,
        type,
        kind,
        points,
        rotation: isTurned ? rotation : 0,
      });
    })
    .toSorted((a, b) => a.zOrder - b.zOrder);

describe('a comparison', () => {
  it('of annotations with themselves is perfect', () => {
    fc.assert(
      fc.property(objects, (given) => {
        const same = toObjects(given);
        const { annotations, shape } = compare(same, same, { panoptic_comparison: false });
        expect(annotations).toEqual({ valid: same.length, missing: 0, extra: 0, total: same.length, ds: same.length, gt: same.length }); // prettier-ignore
        if (shape.total > 0) expect(shape.meanIou).toBeCloseTo(1, 12);
      }),
    );
  });

  it('exchanges precision and recall when the sides are exchanged', () => {
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        const [a, b] = [toObjects(one), toObjects(other)];
        const [there, back] = [compare(a, b), compare(b, a)].map(
          (result) => frameDocument(result, names.names).annotations,
        );
        expect(there?.ds_count).toBe(back?.gt_count);
        expect([there?.precision, there?.recall, there?.accuracy]).toEqual([
          back?.recall,
          back?.precision,
          back?.accuracy,
        ]);
      }),
    );
  });

  it('counts everything exactly once', () => {
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        const [a, b] = [toObjects(one), toObjects(other)];
        const { annotations, label, conflicts } = compare(a, b);
        expect([annotations.gt, annotations.ds]).toEqual([a.length, b.length]);
        expect(annotations.total).toBe(label.total + annotations.missing + annotations.extra);
        const errors = conflicts.filter(({ severity }) => severity === 'error');
        expect(errors).toHaveLength(annotations.missing + annotations.extra + label.invalid);
      }),
    );
  });

  it('does not depend on ids, or on the order of shapes, except for ties', () => {
    fc.assert(
      fc.property(objects, objects, fc.infiniteStream(fc.nat()), (one, other, numbers) => {
        const [a, b] = [toObjects(one), toObjects(other)];
        const shuffled = (side: readonly FrameObject[]): FrameObject[] => {
          const keys = new Map(side.map((object) => [object, numbers.next().value]));
          const sorted = side.toSorted((p, q) => (keys.get(p) ?? 0) - (keys.get(q) ?? 0));
          return sorted.map((object, at) => Object.assign({ ...object }, { id: 100 + at }));
        };
        const settings = { panoptic_comparison: false, check_covered_annotations: false };
        const [first, second] = [compare(a, b, settings), compare(shuffled(a), shuffled(b), settings)];
        // Shapes only: tags are all equal. A tie needs two equal sums of different similarities.
        expect(second.shape.valid).toBe(first.shape.valid);
        expect(second.shape.total).toBe(first.shape.total);
      }),
    );
  });
});

describe('regions', () => {
  const outline = fc.array(fc.tuple(coordinate(110), coordinate(80)), { minLength: 3, maxLength: 7 });

  it('follow the rules of sets', () => {
    fc.assert(
      fc.property(outline, outline, (one, other) => {
        const [a, b] = [polygonRegion(one.flat(), size), polygonRegion(other.flat(), size)];
        const shared = sharedArea(a, b);
        expect(shared).toBe(sharedArea(b, a));
        expect(areaOf(without(a, b))).toBe(areaOf(a) - shared);
        expect(areaOf(finish(unionOf([a, b])))).toBe(areaOf(a) + areaOf(b) - shared);
        expect(areaOf(without(a, a))).toBe(0);
      }),
    );
  });
});

describe('the pixels of a mask', () => {
  const image = { width: 7, height: 5 };
  const counts = fc.array(fc.nat(6), { minLength: 1, maxLength: 30 });

  it('are those within the image, column by column', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: -4, max: 8 }), fc.integer({ min: -4, max: 6 }), (runs, left, top) => {
        const rest = runs.reduce((sum, count) => sum + count, 0);
        const points = [...runs, (9 - (rest % 9)) % 9, left, top, left + 8, top + Math.ceil(Math.max(rest, 1) / 9) - 1];
        const bitmap = maskBitmap(points, { left: 0, top: 0, right: image.width - 1, bottom: image.height - 1 });
        const isSet = (x: number, y: number): boolean =>
          bitmap !== undefined &&
          x >= bitmap.left &&
          x <= bitmap.right &&
          y >= bitmap.top &&
          y <= bitmap.bottom &&
          bitmap.pixels[(y - bitmap.top) * bitmap.width + x - bitmap.left] === 1;
        const wanted: number[] = [];
        for (let at = 0; at < image.width * image.height; at++)
          if (isSet(Math.floor(at / image.height), at % image.height)) wanted.push(at);
        const region = maskRegion(points, image);
        const found: number[] = [];
        for (let at = 0; at < region.length; at += 2)
          for (let position = region[at] ?? 0; position < (region[at + 1] ?? 0); position++) found.push(position);
        expect(found).toEqual(wanted);
      }),
    );
  });
});
