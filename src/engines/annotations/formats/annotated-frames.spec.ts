import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrameCursor, joinByFrame } from './annotated-frames.js';

interface Item {
  frame: number;
  job: number;
}

async function* batches<T>(items: readonly T[], size = 2): AsyncGenerator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

async function flat<T>(source: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of source) all.push(...piece);
  return all;
}

/** Jobs of ten frames that share frames with the next one or two. */
const jobs = fc.array(fc.array(fc.nat(24), { maxLength: 20 }), { maxLength: 4 }).map((list) =>
  list.map((frames, job) => ({
    start: job * 10,
    items: frames.map((frame): Item => ({ frame: job * 10 + frame, job })).sort((a, b) => a.frame - b.frame),
  })),
);

describe('joinByFrame', () => {
  it('sorts by frame, then by job', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, async (list) => {
        const joined = await flat(joinByFrame(list.map(({ start, items }) => ({ start, batches: batches(items) }))));
        const expected = list.flatMap(({ items }) => items).sort((a, b) => a.frame - b.frame || a.job - b.job);
        expect(joined).toEqual(expected);
      }),
    );
  });
});

describe('FrameCursor', () => {
  it('yields the items of every frame, at most `limit` at a time', async () => {
    const frames = [0, 1, 1, 1, 4, 4];
    const cursor = new FrameCursor(batches(frames.map((frame, i) => ({ frame, i }))));
    const taken = async (frame: number, limit: number) => (await cursor.take(frame, limit)).map(({ i }) => i);
    expect(await taken(0, 9)).toEqual([0]);
    expect(await taken(1, 2)).toEqual([1, 2]);
    expect(await taken(1, 2)).toEqual([3]);
    expect(await taken(2, 9)).toEqual([]);
    expect(await taken(5, 9)).toEqual([]);
  });
});
