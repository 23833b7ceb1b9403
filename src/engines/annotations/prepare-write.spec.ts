import { describe, expect, it } from '@jest/globals';
import { GroupRenumbering } from './prepare-write.js';
import { emptyData, type LabeledData } from '../../shared/annotations/model.js';

const tagged = (...groups: (number | null)[]): LabeledData => ({
  ...emptyData(),
  tags: groups.map((group) => ({ id: null, label_id: 1, frame: 0, group, source: 'file', attributes: [] })),
});

describe('GroupRenumbering', () => {
  const settled = (taken: number[], ...pieces: LabeledData[]): (number | null)[] => {
    const groups = new GroupRenumbering(new Set(taken));
    for (const piece of pieces) groups.settle(piece);
    return pieces.flatMap(({ tags }) => tags.map(({ group }) => group));
  };

  it('keeps unused numbers, and objects without a group', () => {
    expect(settled([1, 2], tagged(5, 0, null, 7, 5))).toEqual([5, 0, null, 7, 5]);
  });

  it('replaces a used number with a free one, the same in every batch', () => {
    expect(settled([1, 2], tagged(1, 2, 1), tagged(2, 1))).toEqual([3, 4, 3, 4, 3]);
  });

  it('assigns no number that the file uses earlier or later', () => {
    expect(settled([1, 2], tagged(3, 1, 4, 2), tagged(5, 6))).toEqual([3, 4, 5, 6, 7, 8]);
  });

  it('finds free numbers below the highest possible one', () => {
    expect(settled([2 ** 31 - 1], tagged(2 ** 31 - 1))).toEqual([1]);
  });

  it('keeps skeletons and tracks together with their elements', () => {
    const geometry = { occluded: false, outside: false, z_order: 0, rotation: 0, score: 1, points: [], attributes: [] };
    const labeled = { id: null, label_id: 1, frame: 0, group: 1, source: 'file', attributes: [] };
    const data: LabeledData = {
      ...emptyData(),
      shapes: [
        {
          ...geometry,
          ...labeled,
          type: 'skeleton',
          elements: [{ ...geometry, ...labeled, type: 'points', points: [1, 1] }],
        },
      ],
      tracks: [{ ...labeled, shapes: [], elements: [{ ...labeled, shapes: [] }] }],
    };
    new GroupRenumbering(new Set([1])).settle(data);
    expect(JSON.stringify(data).match(/"group":\d/g)).toEqual(['"group":2', '"group":2', '"group":2', '"group":2']);
  });
});
