import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { assignIds } from './prepare-write.js';
import { trackShapes } from '../../shared/annotations/interpolate.js';
import { finish } from '../concurrency/steps.js';
import { mergeParts } from './merge.js';
import type { LabeledData, Shape, Tag, Track, TrackedShape } from '../../shared/annotations/model.js';
import { emptyData } from '../../shared/annotations/model.js';
import type { FrameRange } from './split.js';
import { splitData } from './split.js';
import { AnnotationInvalid } from './field-errors.js';
import { sliceTrack } from './track-cutter.js';

const labeled = { id: null, label_id: 1, group: 0, source: 'manual', attributes: [] };
const flags = { occluded: false, outside: false, z_order: 0, rotation: 0 };

const tag = (frame: number, label_id = 1): Tag => ({ ...labeled, label_id, frame });
const shape = (frame: number, points: number[], change: Partial<Shape> = {}): Shape => {
  return { ...labeled, ...flags, type: 'rectangle', frame, points, score: 1, elements: [], ...change };
};
const keyframe = (frame: number, points: number[], change: Partial<TrackedShape> = {}): TrackedShape => {
  return { id: null, type: 'rectangle', frame, points, ...flags, attributes: [], ...change };
};
const track = (shapes: TrackedShape[], change: Partial<Track> = {}): Track => {
  return { ...labeled, frame: shapes[0]?.frame ?? 0, shapes, elements: [], ...change };
};
const part = (start: number, overlap: number, data: Partial<LabeledData>) => {
  return { start, overlap, data: { ...emptyData(), ...data } };
};
const merge = (...parts: ReturnType<typeof part>[]) => finish(mergeParts(parts, { is3d: false }));

describe('mergeParts', () => {
  it('shows a shape on shared frames once, from the first job', () => {
    const merged = merge(
      part(0, 2, { shapes: [shape(8, [0, 0, 100, 100], { id: 1 }), shape(9, [0, 0, 9, 9], { id: 2 })] }),
      part(8, 2, { shapes: [shape(8, [0, 0, 100, 99], { id: 3 }), shape(10, [0, 0, 100, 100], { id: 4 })] }),
    );
    expect(merged.shapes.map(({ id }) => id)).toEqual([1, 2, 4]);
  });

  it('keeps both where overlap, label or type differ, and types that are never compared', () => {
    const ellipse = { type: 'ellipse' } as const;
    const first = [shape(8, [0, 0, 100, 100]), shape(9, [0, 0, 100, 100]), shape(9, [5, 5, 9, 1], ellipse)];
    const second = [
      shape(8, [0, 0, 100, 70]),
      shape(9, [0, 0, 100, 100], { label_id: 2 }),
      shape(9, [5, 5, 9, 1], ellipse),
    ];
    expect(merge(part(0, 2, { shapes: first }), part(8, 2, { shapes: second })).shapes).toHaveLength(6);
  });

  it('matches each shape once, with the best total similarity', () => {
    const first = [shape(9, [0, 0, 100, 100], { id: 1 }), shape(9, [2, 0, 102, 100], { id: 2 })];
    const second = [
      shape(9, [2, 0, 102, 100], { id: 3 }),
      shape(9, [0, 0, 100, 100], { id: 4 }),
      shape(9, [1, 0, 101, 100], { id: 5 }),
    ];
    const merged = merge(part(0, 2, { shapes: first }), part(8, 2, { shapes: second }));
    expect(merged.shapes.map(({ id }) => id)).toEqual([1, 2, 5]);
  });

  it('merges tags of one label', () => {
    const merged = merge(part(0, 2, { tags: [tag(8), tag(8)] }), part(8, 2, { tags: [tag(8), tag(8, 2), tag(10)] }));
    expect(merged.tags.map(({ frame, label_id }) => [frame, label_id])).toEqual([
      [8, 1],
      [8, 1],
      [8, 2],
      [10, 1],
    ]);
  });

  it('joins tracks that are similar on the shared frames', () => {
    const first = track([keyframe(0, [0, 0, 10, 10]), keyframe(9, [9, 0, 19, 10])], { id: 1 });
    const second = track([keyframe(8, [8, 0, 18, 10]), keyframe(15, [15, 0, 25, 10])], { id: 2 });
    const merged = merge(part(0, 2, { tracks: [first] }), part(8, 2, { tracks: [second] }));
    expect(merged.tracks).toHaveLength(1);
    expect(merged.tracks[0]).toMatchObject({ id: 1, frame: 0 });
    expect(merged.tracks[0]?.shapes.map(({ frame }) => frame)).toEqual([0, 8, 9, 15]);
  });

  it('closes a visible track that does not continue, elements included, with copies of the last keyframes', () => {
    const element = track([keyframe(0, [1, 1], { id: 7, type: 'points' })]);
    const skeleton = track([keyframe(0, [], { id: 5, type: 'skeleton' })], { id: 1, elements: [element] });
    const other = track([keyframe(6, [], { type: 'skeleton' })], { id: 2 });
    const merged = merge(part(0, 0, { tracks: [skeleton] }), part(6, 0, { tracks: [other] }));
    expect(merged.tracks[0]?.shapes).toMatchObject([
      { id: 5, frame: 0 },
      { id: 5, frame: 6, outside: true },
    ]);
    expect(merged.tracks[0]?.elements[0]?.shapes).toMatchObject([{ frame: 0 }, { id: 7, frame: 6, outside: true }]);
    expect(merged.tracks[1]?.shapes).toHaveLength(1);
    expect(skeleton.shapes).toHaveLength(1);
  });
});

describe('splitData', () => {
  const ranges = [
    { start: 0, stop: 9 },
    { start: 8, stop: 19 },
  ];

  it('gives shared frames to both jobs and drops annotations outside all jobs', () => {
    const data = { ...emptyData(), shapes: [shape(3, []), shape(8, []), shape(10, []), shape(20, [])] };
    const parts = splitData(data, ranges, { action: 'create' });
    expect(parts.map(({ shapes }) => shapes.map(({ frame }) => frame))).toEqual([
      [3, 8],
      [8, 10],
    ]);
    expect(parts[0]?.shapes[1]).not.toBe(parts[1]?.shapes[0]);
  });

  it('gives the ids of new keyframes to one job only', () => {
    const given = track([keyframe(8, [0, 0, 1, 1], { id: 5 })]);
    const ids = (action: 'create' | 'update') =>
      splitData({ ...emptyData(), tracks: [given] }, ranges, { action }).map((job) => job.tracks[0]?.shapes[0]?.id);
    expect(ids('create')).toEqual([5, null]);
    expect(ids('update')).toEqual([5, 5]);
  });

  it('gives a track to the jobs in which it is visible, in the order of the jobs', () => {
    const range = fc.record({ start: fc.nat(30), length: fc.nat(8) });
    const shown = fc.record({ frame: fc.nat(30), outside: fc.boolean() });
    fc.assert(
      fc.property(fc.array(range), fc.array(shown, { minLength: 1 }), (found, keyframes) => {
        const given = track(keyframes.map(({ frame, outside }) => keyframe(frame, [0, 0, 1, 1], { outside })));
        const wanted = found.map(({ start, length }) => ({ start, stop: start + length }));
        const parts = splitData({ ...emptyData(), tracks: [given] }, wanted, { action: 'update' });
        const cut = wanted.map(({ start, stop }) => sliceTrack(given, start, stop));
        expect(parts.map(({ tracks }) => tracks)).toEqual(cut.map((part) => (part === undefined ? [] : [part])));
      }),
    );
  });

  const many = Array.from({ length: 20_000 }, (_, start) => ({ start, stop: start }));

  it('looks at each keyframe and each job once', () => {
    const keyframes = many.map(({ start }) => keyframe(start, [0, 0, 1, 1], { outside: start % 2 === 0 }));
    const hidden = keyframe(0, [0, 0, 1, 1], { outside: true });
    const tracks = [track(keyframes), ...Array.from({ length: 20_000 }, () => track([hidden]))];
    const parts = splitData({ ...emptyData(), tracks }, many, { action: 'create' });
    expect(parts.filter((part) => part.tracks.length > 0)).toHaveLength(10_000);
  });

  it('refuses tracks that would become millions', () => {
    const tracks = Array.from({ length: 100 }, () => track([keyframe(0, [0, 0, 1, 1])]));
    expect(() => splitData({ ...emptyData(), tracks }, many, { action: 'create' })).toThrow(AnnotationInvalid);
  });

  it('refuses shapes that would become millions', () => {
    const shared = Array.from({ length: 1_000 }, (_, start) => ({ start, stop: 1_000 }));
    const shapes = Array.from({ length: 1_000 }, () => shape(1_000, []));
    expect(() => splitData({ ...emptyData(), shapes }, shared, { action: 'create' })).toThrow(AnnotationInvalid);
  });
});

/** Jobs of equal size that share `overlap` frames with the next one. */
function jobs(frames: number, size: number, overlap: number): FrameRange[] {
  const ranges = [];
  for (let start = 0; start === 0 || start + overlap < frames; start += size - overlap) {
    ranges.push({ start, stop: Math.min(start + size, frames) - 1 });
  }
  return ranges;
}

const FRAMES = 40;
const frameNumber = fc.nat(FRAMES - 1);
/** Far enough apart that no two objects are similar by chance. */
const away = (index: number) => index * 1000;
const offset = fc.integer({ min: 0, max: 300 });

const anyShapes = fc
  .array(fc.record({ frame: frameNumber, label_id: fc.constantFrom(1, 2), polygon: fc.boolean(), by: offset }), {
    maxLength: 30,
  })
  .map((list) =>
    list.map(({ frame, label_id, polygon, by }, index) => {
      const [x, y] = [away(index) + by, by];
      return polygon
        ? shape(frame, [x, y, x + 50, y, x + 20, y + 40, x, y + 60], { label_id, type: 'polygon' })
        : shape(frame, [x, y, x + 50, y + 60], { label_id });
    }),
  );

const anyTags = fc.uniqueArray(frameNumber, { maxLength: 10 }).map((frames) => frames.map((frame) => tag(frame)));

const anyTracks = fc
  .array(
    fc.uniqueArray(fc.record({ frame: frameNumber, by: offset, outside: fc.boolean() }), {
      selector: ({ frame }) => frame,
      minLength: 1,
      maxLength: 5,
    }),
    { maxLength: 5 },
  )
  .map((list) =>
    list.map((shapes, index) =>
      track(
        shapes
          .sort((a, b) => a.frame - b.frame)
          .map(({ frame, by, outside }) => {
            const x = away(index) + by;
            return keyframe(frame, [x, by, x + 50, by + 60], { outside });
          }),
      ),
    ),
  );

const key = (value: Shape | Tag) =>
  JSON.stringify(
    'points' in value ? [value.frame, value.label_id, value.points.map((n) => n.toFixed(4))] : [value.frame],
  );
const keys = (list: Iterable<Shape | Tag>) => [...list].map(key).sort();
const allFrames = Array.from({ length: FRAMES }, (_, i) => i);
const visible = (data: LabeledData) => keys(data.tracks.flatMap((given) => [...trackShapes(given, allFrames)]));

describe('merge after split', () => {
  it('restores the original', () => {
    fc.assert(
      fc.property(
        fc.record({ tags: anyTags, shapes: anyShapes, tracks: anyTracks }),
        fc.integer({ min: 2, max: 20 }),
        fc.nat(19),
        (given, size, wanted) => {
          const overlap = wanted % size;
          const data = { ...emptyData(), ...structuredClone(given) };
          const parts = splitData(data, jobs(FRAMES, size, overlap), { action: 'create' });
          parts.forEach((job, i) => {
            const first = i * 1000;
            assignIds(job, { tag: first, shape: first, track: first, trackedShape: first, interval: first });
          });
          const merged = merge(...parts.map((job, i) => ({ start: i * (size - overlap), overlap, data: job })));
          expect(keys(merged.shapes)).toEqual(keys(data.shapes));
          expect(keys(merged.tags)).toEqual(keys(data.tags));
          expect(visible(merged)).toEqual(visible(data));
        },
      ),
    );
  });
});
