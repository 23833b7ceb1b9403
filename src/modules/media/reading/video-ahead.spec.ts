import { describe, expect, it } from '@jest/globals';
import { type Batch, ChunkOrder } from './video-ahead.js';

const bounds = { count: 12, most: 4, maxBytes: 1000 };

function batches(order: ChunkOrder, bytes = 1): Batch[] {
  const found: Batch[] = [];
  for (let batch = order.next(bounds); batch.length > 0; batch = order.next(bounds)) {
    found.push(batch);
    order.made(batch, bytes);
  }
  return found;
}

describe('ChunkOrder', () => {
  it('goes from start to end without a reader', () => {
    expect(batches(new ChunkOrder())).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
    ]);
  });

  it('starts at the reader with a single chunk, and wraps around to the start', () => {
    const order = new ChunkOrder();
    order.goTo(7);
    expect(batches(order)).toEqual([[7], [8, 9], [10, 11], [0, 1, 2, 3], [4, 5, 6]]);
  });

  it('skips finished chunks', () => {
    const order = new ChunkOrder();
    order.made([0, 1, 2, 3], 1);
    order.goTo(10);
    expect(batches(order)).toEqual([[10], [11], [4, 5, 6, 7], [8, 9]]);
  });

  it('continues only near the reader once the video has used its share of the cache', () => {
    const order = new ChunkOrder();
    order.made([0, 1, 2, 3], 1001);
    order.goTo(2);
    expect(batches(order).flat()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const again = new ChunkOrder({ onlyNear: true });
    again.goTo(10);
    expect(batches(again).flat()).toEqual([10, 11]);
  });
});
