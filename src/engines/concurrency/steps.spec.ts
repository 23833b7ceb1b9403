import { describe, expect, it } from '@jest/globals';
import { filterSteps, finish, finishWithPauses, mapSteps, type Steps } from './steps.js';

function* sumOf(numbers: readonly number[]): Steps<number> {
  let sum = 0;
  for (const number of numbers) {
    yield;
    sum += number;
  }
  return sum;
}

describe('a computation in steps', () => {
  it('can be done at once', () => {
    expect(finish(sumOf([1, 2, 3]))).toBe(6);
  });

  it('can pause after each step', async () => {
    const turns: number[] = [];
    const pause = (): Promise<void> | undefined => {
      turns.push(turns.length);
      return turns.length % 2 === 0 ? Promise.resolve() : undefined;
    };
    await expect(finishWithPauses(sumOf([1, 2, 3]), pause)).resolves.toBe(6);
    expect(turns).toEqual([0, 1, 2]);
  });

  it('can map and filter items', () => {
    expect(finish(mapSteps([1, 2, 3], (each) => each * 2))).toEqual([2, 4, 6]);
    expect(finish(filterSteps([1, 2, 3], (each) => each !== 2))).toEqual([1, 3]);
  });

  it('stops if it is cancelled during a pause', async () => {
    const cancelled = new Error('cancelled');
    await expect(finishWithPauses(sumOf([1, 2, 3]), () => Promise.reject(cancelled))).rejects.toBe(cancelled);
  });
});
