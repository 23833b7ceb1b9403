/** A source of uniform whole numbers, passed in wherever chance plays a part. */
export interface RandomSource {
  /** A whole number in [0, bound). */
  below(bound: number): number;
}

const N = 624;
const M = 397;

/**
 * Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998): the same seed gives the same numbers on every machine.
 * @param seed 0 to 2^32 − 1
 */
export function mersenneTwister(seed: number): RandomSource {
  const state = seededState(seed);
  let index = N;
  const nextUint32 = () => {
    if (index >= N) {
      twist(state);
      index = 0;
    }
    return temper(state[index++] ?? 0);
  };
  return { below: (bound) => uniformBelow(bound, nextUint32) };
}

/** A copy in random order (Fisher–Yates, from the end). */
export function shuffled<T>(items: readonly T[], random: RandomSource): T[] {
  const keyed = [...items];
  for (let last = keyed.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [keyed[last], keyed[other]] = [keyed[other] as T, keyed[last] as T];
  }
  return keyed;
}

function seededState(seed: number): Uint32Array {
  const state = new Uint32Array(N);
  let previous = seed >>> 0;
  state[0] = previous;
  for (let i = 1; i < N; i++) {
    previous = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) >>> 0;
    state[i] = previous;
  }
  return state;
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

/** Draws again where the remainder would favour small numbers. */
function uniformBelow(bound: number, nextUint32: () => number): number {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  let value = nextUint32();
  while (value >= limit) value = nextUint32();
  return value % bound;
}
