import { WeightedCache } from './weighted-cache';

describe('WeightedCache', () => {
  it('evicts the least recently used entries', () => {
    const left: string[] = [];
    const cache = new WeightedCache<number, string>(10, (value) => left.push(value));
    cache.set(1, 'a', 4);
    cache.set(2, 'b', 4);
    expect(cache.get(1)).toBe('a');
    cache.set(3, 'c', 4);
    expect(left).toEqual(['b']);
    expect([cache.has(1), cache.has(2), cache.weight]).toEqual([true, false, 8]);
  });

  it('replaces entries, and keeps an entry that is larger than the limit alone', () => {
    const left: string[] = [];
    const cache = new WeightedCache<number, string>(10, (value) => left.push(value));
    cache.set(1, 'a', 4);
    cache.set(1, 'b', 6);
    cache.set(2, 'c', 99);
    expect(left).toEqual(['a', 'b']);
    expect([cache.get(2), cache.weight]).toEqual(['c', 99]);
    cache.clear();
    expect([cache.get(2), cache.weight, left.at(-1)]).toEqual([undefined, 0, 'c']);
  });
});
