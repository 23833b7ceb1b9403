import { describe, expect, it } from '@jest/globals';
import { testTask } from '../../../../test/support/datasets.js';
import { distinctNames, subsetFolder } from './dataset.js';

describe('names in a dataset', () => {
  it('are distinguished by a folder of the task, within a subset', () => {
    const named = (id: number, subset: string, ...names: string[]) => ({
      ...testTask,
      id,
      subset,
      frames: names.map((name, frame) => ({ frame, number: frame, name, width: 1, height: 1 })),
    });
    const tasks = distinctNames([named(1, '', 'a', 'task_2/a'), named(2, '', 'a', 'b'), named(3, 'val', 'a')]);
    expect(tasks.map(({ frames }) => frames.map(({ name }) => name))).toEqual([
      ['a', 'task_2/a'],
      ['task_2/task_2/a', 'b'],
      ['a'],
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
