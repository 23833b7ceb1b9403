import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rectangleOn as shape } from '../../../../test/support/rectangle-on.js';
import { TrackFrames } from '../interpolate.js';
import type { Track } from '../model.js';
import type { EditedObject } from './edited-object.js';
import { mergeObjects } from './merge.js';
import { splitTrack, trackFrom, withKeyframe } from './tracks.js';

const STOP = 20;
const NONE = new Set<number>();
const anyBox = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 });
const box = [0, 0, 10, 10];

const trackOf = (object: EditedObject): Track => {
  if (object.kind !== 'track') throw new Error('Not a track');
  return object.value;
};
const merge = (...objects: EditedObject[]): Track => {
  const merged = mergeObjects(objects, STOP, NONE);
  if ('problem' in merged) throw new Error(merged.problem);
  return trackOf(merged.object);
};
/** The points on every frame; nothing where the track is not visible. */
const seen = (track: Track): (readonly number[] | undefined)[] =>
  Array.from({ length: STOP + 1 }, (_, frame) => {
    const found = new TrackFrames(track).at(frame);
    return found === undefined || found.outside ? undefined : found.points;
  });

describe('merging', () => {
  it('joins the two parts of a split track to the same track', () => {
    const keyframes = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: STOP }), anyBox), {
      maxLength: 5,
      selector: ([frame]) => frame,
    });
    fc.assert(
      fc.property(anyBox, keyframes, fc.integer({ min: 1, max: STOP }), (first, others, at) => {
        let track = trackFrom(shape(0, first));
        for (const [frame, points] of others) track = withKeyframe(track, frame, { points });
        const [a, b] = splitTrack(track, at, NONE) ?? [];
        fc.pre(a !== undefined && b !== undefined);
        const merged = merge({ kind: 'track', value: b }, { kind: 'track', value: a });
        const [got, wanted] = [seen(merged), seen(track)];
        for (const [frame, points] of wanted.entries()) {
          expect(got[frame]).toBeDefined();
          points?.forEach((value, i) => expect(got[frame]?.[i]).toBeCloseTo(value, 3));
        }
      }),
    );
  });

  it('shows each shape on its frame only, in any order', () => {
    const frames = fc.uniqueArray(fc.tuple(fc.nat(STOP), anyBox), {
      minLength: 2,
      maxLength: 6,
      selector: ([frame]) => frame,
    });
    fc.assert(
      fc.property(frames, (all) => {
        const merged = merge(...all.map(([at, points]): EditedObject => ({ kind: 'shape', value: shape(at, points) })));
        const wanted = Array.from({ length: STOP + 1 }, (_, frame) => all.find(([at]) => at === frame)?.[1]);
        expect(seen(merged)).toEqual(wanted);
      }),
    );
  });

  it('refuses objects that are visible on the same frame, or differ in label or type', () => {
    const one: EditedObject = { kind: 'shape', value: shape(3, box) };
    const other: EditedObject = { kind: 'shape', value: { ...shape(4, box), label_id: 77 } };
    const track: EditedObject = { kind: 'track', value: trackFrom(shape(0, box)) };
    for (const [objects, problem] of [
      [[one], /at least two/],
      [[one, one], /same frame/],
      [[one, track], /same frame/],
      [[one, other], /same label/],
    ] as const) {
      expect(mergeObjects(objects, STOP, NONE)).toEqual({ problem: expect.stringMatching(problem) });
    }
  });
});
