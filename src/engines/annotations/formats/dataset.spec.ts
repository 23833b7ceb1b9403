import { describe, expect, it } from '@jest/globals';
import { testTask } from '../../../../test/support/datasets.js';
import { distinctNames, subsetFolder, videoFrameName } from './dataset.js';

describe('names in a dataset', () => {
  it('are distinguished by a number, within a subset', () => {
    const named = (id: number, subset: string, ...names: string[]) => ({
      ...testTask,
      id,
      subset,
      frames: names.map((name, frame) => ({ frame, number: frame, name, width: 1, height: 1 })),
    });
    const tasks = distinctNames([
      named(1, '', 'x/a.png', 'a_1.png'),
      named(2, '', 'x/a.png', 'a.png', 'a'),
      named(3, '', 'x/a.png'),
      named(4, 'val', 'a'),
    ]);
    expect(tasks.map(({ frames }) => frames.map(({ name }) => name))).toEqual([
      ['x/a.png', 'a_1.png'],
      ['x/a_1.png', 'a.png', 'a'],
      ['x/a_2.png'],
      ['a'],
    ]);
  });

  it('number the frames of videos on from one task to the next, within a subset', () => {
    const clip = (id: number, subset: string, ...numbers: number[]) => ({
      ...testTask,
      id,
      subset,
      video: 'clip.mp4',
      frames: numbers.map((number, frame) => ({ frame, number, name: videoFrameName(number), width: 1, height: 1 })),
    });
    const tasks = distinctNames([clip(1, '', 2, 4), clip(2, '', 0, 1), clip(3, 'val', 0)]);
    expect(tasks.map(({ frames }) => frames.map(({ name }) => name))).toEqual([
      ['frame_000002', 'frame_000004'],
      ['frame_000005', 'frame_000006'],
      ['frame_000000'],
    ]);
  });

  it.each([
    ['', 'default'],
    ['..', 'default'],
    ['../a\\b\n', '.._a_b_'],
    ['val', 'val'],
  ])('give subset %j its folder', (subset, folder) => {
    expect(subsetFolder({ ...testTask, subset })).toBe(folder);
  });
});
