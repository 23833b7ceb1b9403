import { type Reading, wantedChunks, wantedImages } from './look-ahead';

const reading = (values: Partial<Reading>): Reading => ({
  position: 0,
  direction: 1,
  isPlaying: false,
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

  it('prefetches two chunks during playback', () => {
    expect(wantedChunks(reading({ isPlaying: true }))).toEqual([0, 1, 2]);
    expect(wantedChunks(reading({ isPlaying: true, position: 25 }))).toEqual([2, 3]);
  });

  it('decodes the next images', () => {
    expect(wantedImages(reading({ position: 4 }), 40)).toEqual([5]);
    expect(wantedImages(reading({ position: 38, isPlaying: true }), 40)).toEqual([39]);
    expect(wantedImages(reading({ position: 1, direction: -1, isPlaying: true }), 40)).toEqual([0]);
  });
});
