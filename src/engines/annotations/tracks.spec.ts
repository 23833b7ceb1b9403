import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { interpolateTrack, trackShapes } from '../../shared/annotations/interpolate.js';
import {
  emptyData,
  type FrameShape,
  MAX_COORDINATE,
  type ShapeType,
  type Track,
  type TrackedShape,
} from '../../shared/annotations/model.js';
import { sliceTrack } from './track-cutter.js';
import { settleTracks } from './prepare-write.js';

function keyframe(frame: number, points: number[], change: Partial<TrackedShape> = {}): TrackedShape {
  const flags = { occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [] };
  return { id: frame + 100, type: 'rectangle', frame, points, ...flags, ...change };
}

function track(shapes: TrackedShape[], change: Partial<Track> = {}): Track {
  const base = { id: 1, label_id: 1, group: 0, source: 'manual', attributes: [], elements: [] };
  return { ...base, frame: shapes[0]?.frame ?? 0, shapes, ...change };
}

const at = (frame: number, ...shapes: TrackedShape[]) => interpolateTrack(track(shapes), [frame])[0];

const settle = (given: Track) => {
  const data = { ...emptyData(), tracks: [given] };
  settleTracks(data);
  return data.tracks[0];
};

const value = (text: string) => [{ spec_id: 1, value: text }];

const visible = (given: Track | undefined, frames: number[]): FrameShape[] =>
  given === undefined ? [] : [...trackShapes(given, frames)];
/** What {@link visible} gives, with points that may differ by rounding. */
const close = ({ frame, points }: FrameShape): unknown =>
  expect.objectContaining({ frame, points: points.map((value): unknown => expect.closeTo(value, 6)) });

describe('interpolateTrack', () => {
  it('moves in a straight line and stays at the last position', () => {
    const shapes = [keyframe(0, [0, 0, 10, 10]), keyframe(10, [10, 20, 20, 30])];
    expect(at(5, ...shapes)).toMatchObject({ id: null, frame: 5, points: [5, 10, 15, 20] });
    expect(at(12, ...shapes)).toMatchObject({ frame: 12, points: [10, 20, 20, 30] });
    expect(interpolateTrack(track([keyframe(3, [0, 0, 1, 1])]), [2])).toEqual([]);
  });

  it.each([
    [350, 10, 0],
    [10, 350, 0],
    [0, 90, 45],
    [200, 100, 150],
  ])('rotates from %d to %d the shorter way, through %d', (from, to, middle) => {
    const shapes = [keyframe(0, [0, 0, 1, 1], { rotation: from }), keyframe(2, [0, 0, 1, 1], { rotation: to })];
    expect(at(1, ...shapes)?.rotation).toBeCloseTo(middle);
  });

  it('does not interpolate hidden shapes, multiple points or masks', () => {
    const hidden = [keyframe(0, [0, 0, 1, 1], { outside: true }), keyframe(2, [4, 4, 5, 5])];
    expect(at(1, ...hidden)).toMatchObject({ outside: true, points: [0, 0, 1, 1] });
    const points = (list: number[], frame: number) => keyframe(frame, list, { type: 'points' });
    expect(at(1, points([0, 0, 2, 2], 0), points([4, 4, 6, 6], 2))?.points).toEqual([0, 0, 2, 2]);
    expect(at(1, points([0, 0], 0), points([4, 6], 2))?.points).toEqual([2, 3]);
    const mask = (left: number, frame: number) => keyframe(frame, [0, 4, left, 0, left + 3, 0], { type: 'mask' });
    expect(at(1, mask(0, 0), mask(8, 2))?.points).toEqual([0, 4, 0, 0, 3, 0]);
  });

  it('adds vertices if outlines have different numbers of them', () => {
    const line = (frame: number, list: number[]) => keyframe(frame, list, { type: 'polyline' });
    expect(at(1, line(0, [0, 0, 10, 0]), line(2, [0, 10, 5, 10, 10, 10]))?.points).toEqual([0, 5, 5, 5, 10, 5]);
    const square = keyframe(0, [0, 0, 10, 0, 10, 10, 0, 10], { type: 'polygon' });
    // The same square, starting at another corner and with one more vertex.
    const same = keyframe(2, [10, 10, 0, 10, 0, 0, 5, 0, 10, 0], { type: 'polygon' });
    expect(at(1, square, same)?.points).toEqual([0, 0, 5, 0, 10, 0, 10, 10, 0, 10]);
  });

  it('returns the keyframe on a keyframe, for every type', () => {
    fc.assert(
      fc.property(anyTrack(), (given) => {
        const frames = given.shapes.map((shape) => shape.frame);
        expect(interpolateTrack(given, frames)).toEqual(given.shapes);
      }),
    );
  });

  it('gives finite points of a valid number on every frame', () => {
    const number = fc.constantFrom(-MAX_COORDINATE, MAX_COORDINATE, 0, 7);
    fc.assert(
      fc.property(anyTrack(number), fc.nat(60), (given, frame) => {
        for (const shape of interpolateTrack(given, [frame])) {
          expect(shape.points.every(Number.isFinite)).toBe(true);
          expect(shape.rotation >= 0 && shape.rotation <= 360).toBe(true);
        }
      }),
    );
  });
});

const LENGTHS: Record<Exclude<ShapeType, 'mask' | 'skeleton'>, number[]> = {
  rectangle: [4],
  ellipse: [4],
  cuboid: [16],
  polygon: [6, 8, 14],
  polyline: [4, 6, 10],
  points: [2, 6],
};

function anyTrack(number = fc.integer({ min: -50, max: 500 })): fc.Arbitrary<Track> {
  return fc.constantFrom(...(Object.keys(LENGTHS) as (keyof typeof LENGTHS)[])).chain((type) => {
    const points = fc
      .constantFrom(...LENGTHS[type])
      .chain((length) => fc.array(number, { minLength: length, maxLength: length }));
    const shape = fc.record({ frame: fc.nat(50), points, outside: fc.boolean(), rotation: fc.nat(360) });
    return fc
      .uniqueArray(shape, { selector: ({ frame }) => frame, minLength: 1, maxLength: 6 })
      .map((shapes) => shapes.sort((a, b) => a.frame - b.frame))
      .map((shapes) => track(shapes.map((entry) => keyframe(entry.frame, entry.points, { ...entry, type }))));
  });
}

describe('trackShapes', () => {
  it('yields the visible frames with all attributes and elements', () => {
    const skeleton = track([keyframe(0, [], { type: 'skeleton', attributes: [{ spec_id: 2, value: 'b' }] })], {
      attributes: [{ spec_id: 1, value: 'a' }],
      elements: [track([keyframe(0, [1, 1], { type: 'points' }), keyframe(2, [3, 3], { type: 'points' })])],
    });
    const shapes = [...trackShapes(skeleton, [0, 1])];
    expect(shapes.map((shape) => shape.elements[0]?.points)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(shapes[1]?.attributes).toEqual([
      { spec_id: 1, value: 'a' },
      { spec_id: 2, value: 'b' },
    ]);
    const hidden = track([keyframe(0, [0, 0, 1, 1]), keyframe(2, [0, 0, 1, 1], { outside: true })]);
    expect([...trackShapes(hidden, [0, 1, 2, 3])].map((shape) => shape.frame)).toEqual([0, 1]);
  });
});

describe('sliceTrack', () => {
  it('adds keyframes at the borders of a movement', () => {
    const moving = track([keyframe(0, [0, 0, 10, 10]), keyframe(10, [10, 10, 20, 20])]);
    expect(sliceTrack(moving, 2, 4)).toMatchObject({
      frame: 2,
      shapes: [
        { id: null, frame: 2, points: [2, 2, 12, 12], keyframe: true },
        { id: null, frame: 4, points: [4, 4, 14, 14], keyframe: true },
      ],
    });
    expect(sliceTrack(moving, 12, 20)?.shapes).toMatchObject([{ frame: 12, points: [10, 10, 20, 20] }]);
  });

  it('drops a track that is hidden or has not begun', () => {
    const shapes = [keyframe(5, [0, 0, 1, 1]), keyframe(7, [0, 0, 1, 1], { outside: true })];
    expect(sliceTrack(track(shapes), 0, 4)).toBeUndefined();
    expect(sliceTrack(track(shapes), 7, 9)).toBeUndefined();
  });

  it('keeps attributes inherited from keyframes that are cut off', () => {
    const shapes = [
      keyframe(0, [0, 0, 1, 1], { attributes: value('a') }),
      keyframe(5, [0, 0, 1, 1]),
      keyframe(8, [0, 0, 1, 1]),
    ];
    expect(sliceTrack(track(shapes), 5, 9)?.shapes[0]?.attributes).toEqual(value('a'));
    expect(sliceTrack(track(shapes), 6, 9)?.shapes[0]?.attributes).toEqual(value('a'));
  });

  it('keeps every element of a skeleton, hidden until it appears', () => {
    const skeleton = track([keyframe(0, [], { type: 'skeleton' })], {
      elements: [track([keyframe(8, [1, 1], { type: 'points' })])],
    });
    expect(sliceTrack(skeleton, 2, 4)?.elements[0]?.shapes).toMatchObject([{ frame: 2, outside: true }]);
  });

  it('gives the same shapes inside the range', () => {
    fc.assert(
      fc.property(
        // Outlines with different numbers of vertices gain vertices at the cut.
        anyTrack().filter(({ shapes }) => new Set(shapes.map((shape) => shape.points.length)).size === 1),
        fc.nat(50),
        fc.nat(20),
        (given, start, length) => {
          const frames = Array.from({ length: length + 1 }, (_, i) => start + i);
          const part = sliceTrack(given, start, start + length);
          expect(visible(part, frames)).toEqual(visible(given, frames).map(close));
          for (const shape of part?.shapes ?? []) expect(frames).toContain(shape.frame);
        },
      ),
    );
  });
});

describe('settleTracks', () => {
  it('hides a track from its start to its first keyframe', () => {
    const settled = settle(track([keyframe(3, [0, 0, 1, 1])], { frame: 1 }));
    expect(settled?.shapes.map((shape) => [shape.id, shape.frame, shape.outside])).toEqual([
      [103, 3, false],
      [null, 1, true],
    ]);
  });

  it('lowers the start of a track to its first keyframe', () => {
    expect(settle(track([keyframe(3, [0, 0, 1, 1]), keyframe(1, [0, 0, 1, 1])], { frame: 5 }))?.frame).toBe(1);
  });

  it('moves a skeleton to its start and to its earliest element', () => {
    const late = track([keyframe(4, [], { type: 'skeleton' })], { frame: 2 });
    expect(settle(late)).toMatchObject({ frame: 2, shapes: [{ frame: 2 }] });
    const element = track([keyframe(1, [0, 0], { type: 'points' })]);
    expect(settle({ ...track([keyframe(4, [], { type: 'skeleton' })]), elements: [element] })).toMatchObject({
      frame: 1,
      shapes: [{ frame: 1 }],
    });
  });

  it('drops tracks and elements without keyframes', () => {
    expect(settle(track([]))).toBeUndefined();
    expect(settle(track([keyframe(0, [], { type: 'skeleton' })], { elements: [track([])] }))?.elements).toEqual([]);
  });
});
