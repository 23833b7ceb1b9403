import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mersenneTwister } from './random.js';
import { countOfShare, deletedWith, drawPerJob, drawUniform, honeypotDrawer, planPool } from './validation-frames.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const sorted = (frames: Iterable<number>): number[] => [...frames].toSorted((a, b) => a - b);

/** A task of `size` frames, some of which are in the pool. */
const pools = fc.integer({ min: 1, max: 60 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    pool: fc.uniqueArray(fc.nat(size - 1), { minLength: 1 }).map(sorted),
    segmentSize: fc.nat({ max: 20 }),
    seed: fc.nat(),
    part: fc.nat(),
  }),
);

const twice = (seed: number) => [mersenneTwister(seed), mersenneTwister(seed)] as const;

describe('planPool', () => {
  it('shows each frame once, and the requested number of pool honeypots in every job', () => {
    fc.assert(
      fc.property(pools, ({ size, pool, segmentSize, seed, part }) => {
        const perJob = part % (pool.length + 1);
        const plan = planPool({ size, pool, segmentSize, perJob }, ...twice(seed));
        const honeypot = (frame: number): boolean => plan.real[frame] !== null;
        const places = upTo(plan.order.length);

        expect(sorted(places.filter((frame) => !honeypot(frame)).map((frame) => plan.order[frame] ?? -1))).toEqual(
          upTo(size),
        );
        expect(plan.order.slice(plan.pool.start)).toEqual(pool);
        expect([plan.pool.stop, plan.real.length]).toEqual([plan.order.length - 1, plan.order.length]);
        for (const frame of places.filter(honeypot)) {
          const real = plan.real[frame] ?? -1;
          expect(real).toBeGreaterThanOrEqual(plan.pool.start);
          expect(plan.order[real]).toBe(plan.order[frame]);
        }

        const others = size - pool.length;
        const length = segmentSize > 0 ? segmentSize : others;
        expect(plan.segments).toHaveLength(others === 0 ? 0 : Math.ceil(others / length));
        expect(plan.segments.flatMap(({ start, stop }) => upTo(stop - start + 1).map((at) => start + at))).toEqual(
          upTo(plan.pool.start),
        );
        for (const { start, stop } of plan.segments) {
          const real = places
            .slice(start, stop + 1)
            .filter(honeypot)
            .map((frame) => plan.real[frame]);
          expect([real.length, new Set(real).size]).toEqual([perJob, perJob]);
        }
        const use = pool.map((_, index) => plan.real.filter((real) => real === plan.pool.start + index).length);
        expect(Math.max(...use) - Math.min(...use)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is deterministic for a seed', () => {
    const request = { size: 30, pool: [3, 4, 5], segmentSize: 7, perJob: 2 };
    expect(planPool(request, ...twice(5))).toEqual(planPool(request, ...twice(5)));
    expect(planPool(request, ...twice(5))).not.toEqual(planPool(request, ...twice(6)));
  });

  it('rejects more honeypots than there are frames to repeat', () => {
    expect(() => planPool({ size: 9, pool: [1], segmentSize: 2, perJob: 2 }, ...twice(1))).toThrow('pool size (1)');
  });
});

describe('drawn frames', () => {
  it('have the requested number and are distinct', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), fc.nat(), (size, seed, part) => {
        const count = 1 + (part % size);
        const frames = drawUniform(size, count, mersenneTwister(seed));
        expect([frames.length, new Set(frames).size]).toEqual([count, count]);
        expect(frames).toEqual(sorted(frames).filter((frame) => frame >= 0 && frame < size));
      }),
    );
  });

  it('count for both jobs where these overlap', () => {
    const segments = [{ start: 0, stop: 3 }, { start: 3, stop: 6 }]; // prettier-ignore
    expect(drawPerJob(segments, 4, mersenneTwister(1))).toEqual(upTo(7));
  });

  it('in an overlap are drawn only for the earlier job, and count for the later one', () => {
    const segments = [0, 3, 6, 9, 12].map((start) => ({ start, stop: start + 4 }));
    for (let seed = 0; seed < 50; seed++) {
      const draw = (jobs: number): number[] => drawPerJob(segments.slice(0, jobs), 2, mersenneTwister(seed));
      for (const [at, { start }] of segments.entries()) {
        const before = draw(at);
        const added = draw(at + 1).filter((frame) => !before.includes(frame));
        expect(added).toHaveLength(2 - before.filter((frame) => frame >= start).length);
        expect(added.filter((frame) => at > 0 && frame < start + 2)).toEqual([]);
      }
    }
  });

  it('from a share are rounded down, but at least one', () => {
    expect([0, 0.05, 0.39, 1].map((share) => countOfShare(share, 10))).toEqual([1, 1, 3, 10]);
  });

  it('from a pool are the least used, then those drawn longest ago', () => {
    const draw = honeypotDrawer(new Map([[7, 1], [8, 0], [9, 2]]), mersenneTwister(1)); // prettier-ignore
    expect([draw(1), draw(2), draw(3), draw(1)]).toEqual([[8], [7, 8], [9, 7, 8], [9]]);
  });

  it("equal those of CVAT's generator", () => {
    expect(drawUniform(10, 3, mersenneTwister(42))).toEqual([4, 6, 8]);
    expect(drawPerJob([{ start: 0, stop: 9 }], 3, mersenneTwister(42))).toEqual([4, 6, 8]);
  });

  it('have the requested number per job, even if it is short and overlaps', () => {
    const segments = [{ start: 0, stop: 3 }, { start: 2, stop: 4 }]; // prettier-ignore
    for (let seed = 0; seed < 20; seed++) {
      const frames = drawPerJob(segments, 3, mersenneTwister(seed));
      expect(frames.filter((frame) => frame >= 2)).toHaveLength(3);
    }
  });
});

describe('deletedWith', () => {
  const honeypots = [{ frame: 0, real: 8 }, { frame: 3, real: 9 }, { frame: 5, real: 8 }]; // prettier-ignore
  it.each([
    [[1], [], [8], [0, 1, 5, 8]],
    [[0, 1, 5, 8], [8], [], [1]],
    [[0, 1, 5, 8], [8], [9], [1, 3, 9]],
    [[3], [], [], [3]],
    [[3, 9], [9], [9], [3, 9]],
  ])('%j, disabled %j then %j: %j', (deleted, before, after, expected) =>
    expect(deletedWith(deleted, honeypots, { before, after })).toEqual(expected),
  );
});
