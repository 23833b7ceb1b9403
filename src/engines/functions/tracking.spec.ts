import { describe, expect, it } from '@jest/globals';
import type { Shape } from '../../shared/annotations/model.js';
import { ResponseInvalid } from './response-item.js';
import { BoxTracks } from './reid.js';
import { readTrackedShapes, readTracking, shapesToSend } from './tracking.js';

const box = { type: 'rectangle', points: [1, 2, 3, 4] } as const;

describe('tracking', () => {
  it('sends points alone to functions that declare no shapes', () => {
    const shapes = [{ ...box, points: [...box.points] }, null];
    expect([shapesToSend(shapes, null), shapesToSend(shapes, ['rectangle'])]).toEqual([[[1, 2, 3, 4], null], shapes]);
  });

  it('reads shapes of both forms', () => {
    const states = [1, 2];
    expect(readTracking({ shapes: [[5, 6, 1, 2, 3, 9], null], states }, { declared: null, count: 2 })).toEqual({
      states,
      shapes: [{ type: 'rectangle', points: [1, 2, 5, 9] }, null],
    });
    expect(readTracking({ shapes: [box], states: [0] }, { declared: ['rectangle'], count: 1 }).shapes).toEqual([box]);
  });

  it.each([[null], [{ shapes: [box], states: [] }], [{ shapes: [{ type: 'rectangle', points: [1] }], states: [0] }]])(
    'refuses %j',
    (response) => {
      expect(() => readTracking(response, { declared: ['rectangle'], count: 1 })).toThrow(ResponseInvalid);
    },
  );

  it('reads the shapes of clients', () => {
    expect(readTrackedShapes([box])).toEqual([box]);
    for (const wrong of [{}, [null], [{ type: 'circle', points: [] }], [{ type: 'rectangle', points: ['1', 2, 3, 4] }]])
      expect(readTrackedShapes(wrong)).toBeUndefined();
  });
});

describe('BoxTracks', () => {
  const shape = (id: number, frame: number): Shape => ({
    id,
    frame,
    type: 'rectangle',
    points: [id, 0, 9, 9],
    label_id: 1,
    group: 4,
    source: 'manual',
    attributes: [
      { spec_id: 1, value: `mutable ${id}` },
      { spec_id: 2, value: `fixed ${id}` },
    ],
    occluded: false,
    outside: false,
    z_order: 0,
    rotation: 0,
    score: 1,
    elements: [],
  });

  it('joins matching boxes, skips frames that are not compared, and hides a track behind its end', () => {
    const joined = new BoxTracks([0, 2, 3], [shape(1, 0), shape(2, 0), shape(3, 2), shape(4, 3), shape(5, 1)]);
    const pairs = [...joined.pairs()];
    expect(pairs.map(({ frame0, frame1 }) => [frame0, frame1])).toEqual([[0, 2], [2, 3]]); // prettier-ignore
    pairs.forEach((pair, at) => joined.link(pair, at === 0 ? [0, 0] : [-1]));
    const tracks = joined.tracks(3, (specId) => specId === 1);
    expect(tracks.map(({ shapes }) => shapes.map(({ frame, outside }) => [frame, outside]))).toEqual([
      [[0, false], [2, false], [3, true]],
      [[0, false], [1, true]],
      [[3, false]],
    ]); // prettier-ignore
    expect(tracks[0]).toMatchObject({
      source: 'auto',
      attributes: [{ spec_id: 2, value: 'fixed 1' }],
      shapes: [{ attributes: [{ spec_id: 1, value: 'mutable 1' }] }, { points: [3, 0, 9, 9] }, {}],
    });
    expect(joined.boxes.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });
});
