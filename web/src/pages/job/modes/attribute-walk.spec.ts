import type { SceneObject } from '../scene/scene';
import { walk, type WalkedJob, withAttributes } from './attribute-walk';

const object = (key: string, labelId = 1, outside = false): SceneObject =>
  ({ key, labelId, outside }) as Partial<SceneObject> as SceneObject;

const OBJECTS: Readonly<Record<number, readonly SceneObject[]>> = {
  10: [object('a'), object('plain', 2), object('b')],
  20: [object('gone', 1, true)],
  30: [object('c')],
  40: [object('d')],
  50: [object('e'), object('hidden')],
};

const job: WalkedJob = {
  frames: {
    numbers: [10, 20, 30, 40, 50],
    position: (number) => number / 10 - 1,
    isDeleted: (number) => number === 40,
  },
  labels: [
    {
      id: 1,
      attributes: [{ id: 7, name: 'colour', input_type: 'text', mutable: false, default_value: '', values: [] }],
    },
    { id: 2, attributes: [] },
  ],
  hidden: new Set(['hidden']),
  at: (frame) => OBJECTS[frame] ?? [],
};

describe('the walk through objects with attributes', () => {
  it('skips objects without attributes, and those that are not visible', () => {
    expect(withAttributes(job, 10).map(({ key }) => key)).toEqual(['a', 'b']);
    expect(withAttributes(job, 20)).toEqual([]);
    expect(withAttributes(job, 40)).toEqual([]);
    expect(withAttributes(job, 50).map(({ key }) => key)).toEqual(['e']);
  });

  it('visits every object in both directions, across frames', () => {
    const visited = (by: 1 | -1, start: number): string[] => {
      const keys: string[] = [];
      let at: { frame: number; key: string | null } | undefined = { frame: start, key: null };
      for (at = walk(job, at, by); at !== undefined; at = walk(job, at, by)) keys.push(`${at.frame} ${at.key}`);
      return keys;
    };
    const forward = ['10 a', '10 b', '30 c', '50 e'];
    expect(visited(1, 10)).toEqual(forward);
    expect(visited(-1, 50)).toEqual(forward.toReversed());
  });
});
