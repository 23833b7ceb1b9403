import fc from 'fast-check';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { trackShapes } from '#shared/annotations/interpolate';
import type { Shape, Track, TrackedShape } from '#shared/annotations/model';
import { NOTHING, statisticsOf, sum } from './statistics';

const labeled = { id: null, label_id: 1, group: 0, source: 'manual', attributes: [] };
const geometry = { type: 'rectangle' as const, occluded: false, z_order: 0, rotation: 0, points: [0, 0, 9, 9] };
const shape = (frame: number, more: Partial<Shape> = {}): EditedObject => ({
  kind: 'shape',
  value: { ...labeled, ...geometry, frame, outside: false, score: 1, elements: [], ...more },
});
const keyframe = (frame: number, outside = false): TrackedShape => ({
  ...geometry,
  id: null,
  frame,
  outside,
  attributes: [],
});
const track = (...shapes: TrackedShape[]): Track => ({
  ...labeled,
  frame: shapes[0]?.frame ?? 0,
  shapes,
  elements: [],
});
const statistics = (frames: number[], ...objects: EditedObject[]) =>
  statisticsOf(
    objects.map((object, at) => [String(at), object] as const),
    frames,
  );

describe('the statistics of a job', () => {
  it('count shapes and tags by label and type, without deleted frames', () => {
    const tag: EditedObject = { kind: 'tag', value: { ...labeled, label_id: 2, frame: 1 } };
    const found = statistics([0, 1], shape(0), shape(1, { type: 'polygon' }), shape(2), tag);
    expect(found.get(1)).toEqual({
      byType: new Map([
        ['rectangle', { shapes: 1, tracks: 0 }],
        ['polygon', { shapes: 1, tracks: 0 }],
      ]),
      drawn: 2,
      interpolated: 0,
    });
    expect(found.get(2)?.byType.get('tag')).toEqual({ shapes: 1, tracks: 0 });
    const total = [...found.values()].reduce(sum, NOTHING);
    expect([total.drawn, total.byType.size]).toEqual([3, 3]);
  });

  it('count visible keyframes as drawn, and visible frames between and after them as interpolated', () => {
    const value = track(keyframe(1), keyframe(4), keyframe(6, true), keyframe(8));
    const found = statistics([0, 1, 2, 4, 5, 6, 7, 8, 9], { kind: 'track', value }).get(1);
    expect(found).toMatchObject({ drawn: 3, interpolated: 3 }); // 2, 5 and 9; frame 3 is deleted
    expect(found?.byType.get('rectangle')).toEqual({ shapes: 0, tracks: 1 });
  });

  it('count every visible frame of a track once', () => {
    const frame = fc.integer({ min: 0, max: 30 });
    const keyframes = fc.uniqueArray(fc.record({ frame, outside: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
      selector: (one) => one.frame,
    });
    fc.assert(
      fc.property(keyframes, fc.uniqueArray(frame), (shapes, some) => {
        const frames = some.toSorted((a, b) => a - b);
        const value = track(...shapes.map((one) => keyframe(one.frame, one.outside)));
        const { drawn = 0, interpolated = 0 } = statistics(frames, { kind: 'track', value }).get(1) ?? {};
        expect(drawn + interpolated).toBe([...trackShapes(value, frames)].length);
      }),
    );
  });
});
