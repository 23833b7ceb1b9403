import { type Reading, wantedChunks, wantedImages } from './look-ahead';

const reading = (values: Partial<Reading>): Reading => ({
  position: 0,
  direction: 1,
  playedRate: 0,
  chunkSize: 10,
  chunkCount: 4,
  ...values,
});

describe('look-ahead', () => {
  it('prefetches the next chunk after half of the current one', () => {
    expect(wantedChunks(reading({ position: 13 }))).toEqual([1]);
    expect(wantedChunks(reading({ position: 14 }))).toEqual([1, 2]);
    expect(wantedChunks(reading({ position: 39 }))).toEqual([3]);
  });

  it('works in both directions', () => {
    expect(wantedChunks(reading({ position: 17, direction: -1 }))).toEqual([1]);
    expect(wantedChunks(reading({ position: 14, direction: -1 }))).toEqual([1, 0]);
  });

  it('prefetches the chunks of two seconds during playback', () => {
    expect(wantedChunks(reading({ playedRate: 5 }))).toEqual([0, 1, 2]);
    expect(wantedChunks(reading({ playedRate: 5, position: 25 }))).toEqual([2, 3]);
    expect(wantedChunks(reading({ playedRate: 25, chunkCount: 100 }))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(wantedChunks(reading({ playedRate: 1000, chunkCount: 100 }))).toHaveLength(9);
  });

  it('decodes the next image', () => {
    expect(wantedImages(reading({ position: 4 }), 40)).toEqual([5]);
    expect(wantedImages(reading({ position: 39 }), 40)).toEqual([]);
    expect(wantedImages(reading({ position: 1, direction: -1 }), 40)).toEqual([0]);
    expect(wantedImages(reading({ position: 4, playedRate: 25 }), 40)).toEqual([]);
  });
});
