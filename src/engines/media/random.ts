/** A source of uniform 32-bit numbers, passed to everything that uses randomness. */
export interface RandomSource {
  /** An integer in [0, 2^32). */
  uint32(): number;
}

/** The largest seed that a JSON number represents exactly. */
export const MAX_SEED = Number.MAX_SAFE_INTEGER;

const N = 624;
const M = 397;

/**
 * Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded like NumPy's `Generator(MT19937(seed))`, so that the
 * same seed draws the same frames as in CVAT.
 * @param seed an integer from 0 to MAX_SEED
 */
export function mersenneTwister(seed: number): RandomSource {
  const state = seededState(seed);
  let index = N - 1;
  return {
    uint32: () => {
      if (index >= N) {
        twist(state);
        index = 0;
      }
      return temper(state[index++] ?? 0);
    },
  };
}

/** A shuffled copy, like NumPy's `shuffle` of a list. */
export function shuffled<T>(items: readonly T[], random: RandomSource): T[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last--) swap(copy, last, masked(last, random));
  return copy;
}

/**
 * Chooses distinct items, like NumPy's `choice` with `replace=False`.
 * @param count at most the number of items
 * @param options ordered: also randomizes the order of the result (`shuffle=True`)
 */
export function choose<T>(
  items: readonly T[],
  count: number,
  random: RandomSource,
  { ordered }: { readonly ordered: boolean },
): T[] {
  const population = items.length;
  const isLarge = population > 10_000 && count > Math.floor(population / (ordered ? 50 : 20));
  const indexes = isLarge ? tail(population, count, random) : floyd(population, count, random);
  if (ordered && !isLarge) {
    for (let last = count - 1; last > 0; last--) swap(indexes, last, below(last + 1, random));
  }
  return indexes.map((index) => items[index] as T);
}

/** Floyd's algorithm: needs memory only for the chosen items. */
function floyd(population: number, count: number, random: RandomSource): number[] {
  const taken = new Set<number>();
  for (let last = population - count; last < population; last++) {
    const drawn = below(last + 1, random);
    taken.add(taken.has(drawn) ? last : drawn);
  }
  return [...taken];
}

/** The end of a list, shuffled only as far as necessary. */
function tail(population: number, count: number, random: RandomSource): number[] {
  const indexes = Array.from({ length: population }, (_, index) => index);
  for (let last = population - 1; last >= Math.max(population - count, 1); last--) {
    swap(indexes, last, below(last + 1, random));
  }
  return indexes.slice(population - count);
}

function swap(items: unknown[], a: number, b: number): void {
  [items[a], items[b]] = [items[b], items[a]];
}

/** An integer in [0, bound), by Lemire's method (2019), as NumPy draws indexes. */
export function below(bound: number, random: RandomSource): number {
  if (bound === 1) return 0;
  const range = BigInt(bound);
  const threshold = (2n ** 32n - range) % range;
  for (;;) {
    const product = BigInt(random.uint32()) * range;
    if (BigInt.asUintN(32, product) >= threshold) return Number(product >> 32n);
  }
}

/** An integer from 0 to `max` inclusive, by rejection below the next power of two, as NumPy shuffles lists. */
function masked(max: number, random: RandomSource): number {
  const mask = 0xffffffff >>> Math.clz32(max);
  for (;;) {
    const value = (random.uint32() & mask) >>> 0;
    if (value <= max) return value;
  }
}

/** The state that NumPy's SeedSequence derives from a seed. */
function seededState(seed: number): Uint32Array {
  const pool = entropyPool(seed);
  let hash = 0x8b51f9dd;
  const state = new Uint32Array(N);
  for (let i = 0; i < N; i++) {
    let value = (pool[i % pool.length] ?? 0) ^ hash;
    hash = Math.imul(hash, 0x58f38ded);
    value = Math.imul(value, hash);
    state[i] = value ^ (value >>> 16);
  }
  state[0] = 0x80000000;
  return state;
}

function entropyPool(seed: number): Uint32Array {
  let hash = 0x43b0d7e5;
  const hashed = (value: number): number => {
    let mixed = value ^ hash;
    hash = Math.imul(hash, 0x931e8875);
    mixed = Math.imul(mixed, hash);
    return mixed ^ (mixed >>> 16);
  };
  const pool = Uint32Array.of(seed, Math.floor(seed / 2 ** 32), 0, 0).map(hashed);
  for (let source = 0; source < pool.length; source++) {
    for (let target = 0; target < pool.length; target++) {
      if (source === target) continue;
      const mixed = Math.imul(0xca01f9dd, pool[target] ?? 0) - Math.imul(0x4973f715, hashed(pool[source] ?? 0));
      pool[target] = mixed ^ (mixed >>> 16);
    }
  }
  return pool;
}

function twist(state: Uint32Array): void {
  const at = (i: number) => state[i % N] ?? 0;
  for (let i = 0; i < N; i++) {
    const bits = (at(i) & 0x80000000) | (at(i + 1) & 0x7fffffff);
    state[i] = at(i + M) ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
  }
}

function temper(value: number): number {
  let y = value;
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  y ^= y >>> 18;
  return y >>> 0;
}
