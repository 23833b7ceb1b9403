import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { planMappedSegments, planSegments, type SegmentPlan } from '../../engines/media/segments.js';
import { annotationSegments, groundTruthSegment, newJobs, planJobs } from './job.create.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Cut {
  readonly size: number;
  readonly plan: SegmentPlan;
}

const bySizes: fc.Arbitrary<Cut> = fc
  .record({
    size: fc.integer({ min: 1, max: 60 }),
    segmentSize: fc.option(fc.nat(70)),
    overlap: fc.option(fc.nat(40)),
    mode: fc.constantFrom('annotation' as const, 'interpolation' as const),
  })
  .map((request) => ({ size: request.size, plan: planSegments(request) }));

const byMapping: fc.Arbitrary<Cut> = fc
  .array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 })
  .map((lengths) => {
    const mapping = lengths.map((length, list) => upTo(length).map((at) => `${list}-${at}`));
    return { size: mapping.flat().length, plan: planMappedSegments(mapping, mapping.flat()) };
  });

const asked = fc.oneof(bySizes, byMapping).chain(({ size, plan }) =>
  fc.record({
    size: fc.constant(size),
    plan: fc.constant(plan),
    replicas: fc.nat(5),
    /** Frames of the ground truth job; null: there is none. */
    validation: fc.option(fc.subarray(upTo(size), { minLength: 1 })),
    firstJob: fc.integer({ min: 1, max: 1_000_000 }),
    firstSegment: fc.integer({ min: 1, max: 1_000_000 }),
    selection: fc.record({ start: fc.nat(9), step: fc.integer({ min: 1, max: 7 }), size: fc.constant(size) }),
  }),
);

describe('the jobs of a task', () => {
  it('are one for each segment, directly followed by its replicas, and one of ground truth without any', () => {
    fc.assert(
      fc.property(asked, ({ plan, replicas, validation, firstJob, firstSegment, selection }) => {
        const parts = annotationSegments(plan.segments);
        if (validation !== null) parts.push(groundTruthSegment({ mode: 'gt', frames: validation }, selection));
        const segmentIds = parts.map((_, index) => firstSegment + index);
        const planned = planJobs(parts, replicas);
        const jobs = newJobs(
          planned,
          segmentIds,
          planned.map((_, at) => firstJob + at),
        );

        const groundTruth = validation === null ? [] : ['ground_truth'];
        const group = ['annotation', ...upTo(replicas).map(() => 'consensus_replica')];
        expect(jobs.map(({ type }) => type)).toEqual([...plan.segments.flatMap(() => group), ...groundTruth]);
        expect(jobs.map(({ id }) => id)).toEqual(upTo(jobs.length).map((at) => firstJob + at));
        for (const [index, segmentId] of segmentIds.entries()) {
          const [parent, ...copies] = jobs.filter((job) => job.segmentId === segmentId);
          const isGroundTruth = index === plan.segments.length;
          expect(parent).toMatchObject({ type: isGroundTruth ? 'ground_truth' : 'annotation', parentJobId: null });
          expect(copies.map(({ type, parentJobId }) => [type, parentJobId])).toEqual(
            isGroundTruth ? [] : upTo(replicas).map(() => ['consensus_replica', parent?.id]),
          );
          for (const job of copies) expect({ ...job, id: 0, type: '', parentJobId: 0 }).toEqual({ ...parent, id: 0, type: '', parentJobId: 0 }); // prettier-ignore
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('cover each frame as often as its segments do, once for the job and once for each replica', () => {
    fc.assert(
      fc.property(asked, ({ size, plan, replicas }) => {
        const covering = upTo(size).map(() => 0);
        for (const { segment } of planJobs(annotationSegments(plan.segments), replicas))
          for (let frame = segment.start; frame <= segment.stop; frame += 1)
            covering[frame] = (covering[frame] ?? 0) + 1;
        const segmentsOf = (frame: number) =>
          plan.segments.filter(({ start, stop }) => start <= frame && frame <= stop).length;
        expect(covering).toEqual(upTo(size).map((frame) => segmentsOf(frame) * (replicas + 1)));
        expect(covering.every((times) => times > replicas)).toBe(true);
        const shared = covering.filter((times) => times > replicas + 1).length;
        // Adjacent segments share `overlap` frames, at most half of a segment, so no frame is in three segments.
        if (plan.overlap === 0) expect(shared).toBe(0);
        else expect(shared).toBe(Math.min(size, plan.overlap * (plan.segments.length - 1)));
      }),
      { numRuns: 1000 },
    );
  });
});
