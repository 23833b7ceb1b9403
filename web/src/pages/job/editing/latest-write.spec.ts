import { expect, it } from '@jest/globals';
import { LatestWrite } from './latest-write';

it('writes the first state at once, and of those that follow only the newest', async () => {
  const written: number[] = [];
  const finish: (() => void)[] = [];
  const writer = new LatestWrite<number>((state) => {
    written.push(state);
    return new Promise((resolve) => finish.push(resolve));
  });
  let state = 1;
  const first = writer.write(() => state);
  await Promise.resolve();
  expect(written).toEqual([1]);
  const others = [2, 3, 4].map((next) => {
    state = next;
    return writer.write(() => state);
  });
  finish.shift()?.();
  await first;
  await Promise.resolve();
  expect(written).toEqual([1, 4]);
  finish.shift()?.();
  await Promise.all(others);
});

it('reports the failure of a write, and writes again afterwards', async () => {
  const written: string[] = [];
  const writer = new LatestWrite<string>(async (state) => {
    if (state === 'too much') throw new Error('The quota is exceeded.');
    written.push(state);
    return Promise.resolve();
  });
  await expect(writer.write(() => 'too much')).rejects.toThrow('quota');
  await writer.write(() => 'less');
  expect(written).toEqual(['less']);
});
