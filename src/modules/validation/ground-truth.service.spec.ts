import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mersenneTwister } from '../../engines/media/random.js';
import { planSegments } from '../../engines/media/segments.js';
import { chooseFrames } from './ground-truth.service.js';
import type { CreateJobDto } from './validation.dto.js';

const dto = (body: Partial<CreateJobDto>): CreateJobDto => ({ task_id: 1, type: 'ground_truth', ...body });

describe('chooseFrames', () => {
  it('draws as many frames as asked for, each once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), fc.nat({ max: 1000 }), (size, seed, part) => {
        const count = 1 + (part % size);
        const source = { size, segmentSize: size, segments: [{ start: 0, stop: size - 1 }] };
        const frames = chooseFrames(
          dto({ frame_selection_method: 'random_uniform', frame_count: count }),
          source,
          mersenneTwister(seed),
        );
        expect(new Set(frames).size).toBe(count);
        expect(frames).toEqual(frames.filter((frame) => frame >= 0 && frame < size).toSorted((a, b) => a - b));
      }),
    );
  });

  it('gives every job its number of frames, those that overlap counted for both', () => {
    const sizes = fc.record({
      size: fc.integer({ min: 1, max: 60 }),
      segmentSize: fc.integer({ min: 1, max: 20 }),
      overlap: fc.nat({ max: 10 }),
    });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat({ max: 30 }), (request, seed, part) => {
        const plan = planSegments({ ...request, mode: 'annotation' });
        const count = 1 + (part % plan.segmentSize);
        const source = { size: request.size, segmentSize: plan.segmentSize, segments: plan.segments };
        const frames = chooseFrames(
          dto({ frame_selection_method: 'random_per_job', frames_per_job_count: count }),
          source,
          mersenneTwister(seed),
        );
        for (const { start, stop } of plan.segments) {
          const inJob = frames.filter((frame) => frame >= start && frame <= stop).length;
          expect(inJob).toBeGreaterThanOrEqual(Math.min(count, stop - start + 1));
        }
        expect(new Set(frames).size).toBe(frames.length);
      }),
    );
  });

  it('takes at least one frame of a share', () => {
    const source = { size: 10, segmentSize: 5, segments: [{ start: 0, stop: 4 }, { start: 5, stop: 9 }] }; // prettier-ignore
    const random = mersenneTwister(1);
    expect(
      chooseFrames(dto({ frame_selection_method: 'random_uniform', frame_share: 0 }), source, random),
    ).toHaveLength(1);
    expect(
      chooseFrames(dto({ frame_selection_method: 'random_uniform', frame_share: 0.39 }), source, random),
    ).toHaveLength(3);
    expect(
      chooseFrames(dto({ frame_selection_method: 'random_per_job', frames_per_job_share: 0.1 }), source, random),
    ).toHaveLength(2);
  });

  it('never draws the last frame for the deprecated seed, unless all frames are asked for', () => {
    const source = { size: 4, segmentSize: 4, segments: [{ start: 0, stop: 3 }] };
    const chosen = (frame_count: number, more: Partial<CreateJobDto>): number[] =>
      chooseFrames(
        dto({ frame_selection_method: 'random_uniform', frame_count, ...more }),
        source,
        mersenneTwister(more.seed ?? more.random_seed ?? 0),
      );
    for (let seed = 0; seed < 10; seed++) expect(chosen(3, { seed })).toEqual([0, 1, 2]);
    expect(chosen(4, { seed: 1 })).toEqual([0, 1, 2, 3]);
    expect(Array.from({ length: 10 }, (_, seed) => chosen(3, { random_seed: seed })).flat()).toContain(3);
  });
});
