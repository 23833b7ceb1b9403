import { describe, expect, it } from '@jest/globals';
import { shapeOf, trackOf } from '../../../../test/support/datasets.js';
import { emptyData } from '../../../shared/annotations/model.js';
import { onFrames } from './frame-range.js';

describe('onFrames', () => {
  it('numbers the frames of a task from 0, and leaves out others', async () => {
    const shapes = [1, 2, 3, 4].map((frame) => shapeOf('rectangle', [0, 0, 1, 1], { frame }));
    const tracks = [trackOf([{ frame: 3, points: [0, 0, 1, 1] }], { frame: 3 })];
    const batches = async function* () {
      yield { ...emptyData(), shapes, tracks };
    };
    const read: unknown[] = [];
    for await (const data of onFrames(batches(), { first: 2, count: 2 })) {
      read.push(data.shapes.map(({ frame }) => frame), data.tracks.map((track) => [track.frame, track.shapes[0]?.frame]));
    }
    expect(read).toEqual([[0, 1], [[1, 1]]]);
  }); // prettier-ignore
});
