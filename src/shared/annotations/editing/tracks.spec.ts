import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rectangleOn as shape } from '../../../../test/support/rectangle-on.js';
import { TrackFrames } from '../interpolate.js';
import type { Track } from '../model.js';
import {
  attributesAt,
  isKeyframe,
  splitTrack,
  trackFrom,
  withKeyframe,
  withKeyframeAttribute,
  withoutKeyframe,
} from './tracks.js';

const NONE: ReadonlySet<number> = new Set();

/** A track with a keyframe on each frame. */
const track = (keyframes: Readonly<Record<number, number[]>>): Track => {
  const [[first, points] = ['0', []], ...others] = Object.entries(keyframes);
  return others.reduce<Track>(
    (made, [frame, moved]) => withKeyframe(made, Number(frame), { points: moved }),
    trackFrom(shape(Number(first), points)),
  );
};

const pointsAt = (of: Track, frame: number): number[] | undefined => {
  const found = new TrackFrames(of).at(frame);
  return found === undefined || found.outside ? undefined : found.points;
};

const anyTrack = fc
  .dictionary(
    fc.integer({ min: 0, max: 20 }).map(String),
    fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 4, maxLength: 4 }),
    {
      minKeys: 2,
      maxKeys: 6,
    },
  )
  .map(track);

describe('a track', () => {
  it('that starts with a shape gives mutable attributes to its keyframe', () => {
    const attributes = [1, 2].map((id) => ({ spec_id: id, value: `${id}` }));
    const made = trackFrom({ ...shape(3, [0, 0, 1, 1]), attributes }, new Set([2]));
    expect(made).toMatchObject({
      frame: 3,
      attributes: [{ spec_id: 1 }],
      shapes: [{ frame: 3, attributes: [{ spec_id: 2 }] }],
    });
    expect(attributesAt(made, 9)).toEqual(attributes);
  });

  it('gets keyframes, interpolates between them, and loses them', () => {
    const made = track({ 0: [0, 0, 10, 10], 10: [10, 0, 20, 10] });
    expect(pointsAt(made, 5)).toEqual([5, 0, 15, 10]);
    const occluded = withKeyframe(made, 5, { occluded: true });
    expect(new TrackFrames(occluded).keyframeNumbers()).toEqual([0, 5, 10]);
    expect(pointsAt(occluded, 5)).toEqual([5, 0, 15, 10]);
    expect(isKeyframe(occluded, 5)).toBe(true);
    expect(withoutKeyframe(occluded, 5)).toEqual(made);
    const single = track({ 4: [0, 0, 1, 1] });
    expect(withoutKeyframe(single, 4)).toBe(single);
    expect(withKeyframe(single, 2, { occluded: true })).toBe(single);
  });

  it('has a mutable attribute from a frame on, until a keyframe has another value', () => {
    const made = track({ 0: [0, 0, 1, 1], 10: [5, 5, 6, 6] });
    const red = withKeyframeAttribute(made, 0, { spec_id: 1, value: 'red' });
    const both = withKeyframeAttribute(red, 5, { spec_id: 1, value: 'blue' });
    expect([0, 4, 5, 10, 30].map((frame) => attributesAt(both, frame)[0]?.value)).toEqual([
      'red',
      'red',
      'blue',
      'blue',
      'blue',
    ]);
  });

  it('is split into two that look the same on every frame', () => {
    fc.assert(
      fc.property(anyTrack, fc.integer({ min: 0, max: 25 }), (whole, frame) => {
        const parts = splitTrack(whole, frame, NONE);
        if (parts === undefined) return expect(frame).toBeLessThanOrEqual(whole.frame);
        const [first, second] = parts;
        for (let at = 0; at <= 30; at += 1) {
          const found = [pointsAt(first, at), pointsAt(second, at)].filter((points) => points !== undefined);
          const wanted = pointsAt(whole, at);
          expect(found.length).toBe(wanted === undefined ? 0 : 1);
          for (const [i, value] of (found[0] ?? []).entries()) expect(value).toBeCloseTo(wanted?.[i] ?? NaN, 6);
        }
      }),
    );
  });
});
