import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { absoluteFrame, relativeFrame } from '../../../engines/media/frames.js';
import { mersenneTwister } from '../../../engines/media/random.js';
import { groundTruthSegment } from '../../jobs/index.js';
import { requireValidation, type ValidationParamsDto } from '../upload/data-parameters.js';
import { sortFiles } from '../../../engines/media/sorting.js';
import { type FramePlan, planFrames, type CheckedTask, planValidation, type FramePlanInput } from './media-plan.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const plan = (size: number, more: Partial<Parameters<typeof planFrames>[0]> = {}): FramePlan =>
  planFrames(
    {
      files: upTo(size).map((index) => `${String(index).padStart(3, '0')}.jpg`),
      sorting: 'lexicographical',
      order: null,
      mapping: null,
      startFrame: 0,
      stopFrame: 0,
      frameFilter: '',
      segmentSize: 0,
      overlap: null,
      ...more,
    },
    mersenneTwister(1),
  );

const IMAGES: CheckedTask = { mode: 'annotation', dimension: '2d', sorting: 'random', isMapped: false };

/** All parameters for validation frames, with numbers that may be too large. */
const asked: fc.Arbitrary<ValidationParamsDto> = fc
  .record({
    mode: fc.constantFrom('gt' as const, 'gt_pool' as const),
    method: fc.constantFrom('random_uniform' as const, 'random_per_job' as const, 'manual' as const),
    count: fc.option(fc.integer({ min: 1, max: 40 })),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    perJob: fc.option(fc.integer({ min: 1, max: 8 })),
    perJobShare: fc.double({ min: 0, max: 1, noNaN: true }),
    frames: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 10 }),
    random_seed: fc.nat(),
  })
  .filter(({ mode, method }) => mode === 'gt' || method !== 'random_per_job')
  .map(({ mode, method, count, share, perJob, perJobShare, frames, random_seed }) => ({
    mode,
    frame_selection_method: method,
    random_seed,
    ...(method === 'manual' ? { frames: frames.map((index) => `${String(index).padStart(3, '0')}.jpg`) } : {}),
    ...(method === 'random_uniform' ? (count === null ? { frame_share: share } : { frame_count: count }) : {}),
    ...(method === 'random_per_job' || mode === 'gt_pool'
      ? perJob === null
        ? { frames_per_job_share: perJobShare }
        : { frames_per_job_count: perJob }
      : {}),
  }));

const tasks = fc.record({
  size: fc.integer({ min: 1, max: 40 }),
  startFrame: fc.nat(3),
  frameFilter: fc.constantFrom('', 'step=2', 'step=3'),
  segmentSize: fc.nat(12),
  overlap: fc.option(fc.nat(5)),
});

describe('planValidation', () => {
  it('covers a task with jobs and its validation frames with one more, for any parameters', () => {
    let planned = 0;
    fc.assert(
      fc.property(tasks, asked, ({ size, ...more }, params) => {
        requireValidation(params);
        if (more.startFrame >= size) return;
        const before = plan(size, more);
        let checked: ReturnType<typeof planValidation>;
        try {
          checked = planValidation(before, params, IMAGES, params.random_seed ?? 0);
        } catch (error) {
          expect(String(error)).toMatch(/requested|Unknown validation frames/);
          return;
        }
        planned += 1;
        const { selection, segments, validation } = checked;
        expect(checked.frames).toHaveLength(selection.size);
        expect(new Set(checked.frames)).toEqual(new Set(before.frames));
        expect(validation.frames).toEqual([...new Set(validation.frames)].toSorted((a, b) => a - b));
        expect(validation.frames.length).toBeGreaterThan(0);

        const job = groundTruthSegment(validation, selection);
        expect(job.stop).toBe(selection.size - 1);
        if (validation.mode === 'gt') {
          expect([job.start, checked.segments, checked.frames]).toEqual([0, before.segments, before.frames]);
          expect(job.frames).toEqual(validation.frames.map((frame) => absoluteFrame(selection, frame)));
          return;
        }
        expect([selection.start, selection.step, checked.segmentSize, checked.overlap]).toEqual([0, 1, 0, 0]);
        expect(validation.frames).toEqual(upTo(job.stop - job.start + 1).map((at) => job.start + at));
        const covered = segments.flatMap(({ start, stop }) => upTo(stop - start + 1).map((at) => start + at));
        expect([...covered, ...validation.frames]).toEqual(upTo(selection.size));
        for (const { start, stop } of segments) {
          const honeypots = (checked.real ?? []).slice(start, stop + 1).filter((real) => real !== null);
          expect(honeypots).toHaveLength(validation.framesPerJob ?? -1);
        }
      }),
      { numRuns: 500 },
    );
    expect(planned).toBeGreaterThan(80);
  });

  it.each<[string, Partial<ValidationParamsDto>, Partial<CheckedTask>]>([
    ['only be used with "random" sorting', {}, { sorting: 'natural' }],
    ['with "annotation" mode', {}, { mode: 'interpolation' }],
    ['job_file_mapping', {}, { isMapped: true }],
    ['only be added in 2d', {}, { dimension: '3d' }],
    [
      'The number of validation frames requested (30) is greater that the number of task frames (10)',
      { frame_count: 30 },
      {},
    ],
    [
      'Unknown validation frames requested: nope.png',
      { frame_selection_method: 'manual', frames: ['001.jpg', 'nope.png'] },
      {},
    ],
    [
      'greater than the segment size (4)',
      { mode: 'gt', frame_selection_method: 'random_per_job', frames_per_job_count: 5 },
      {},
    ],
  ])('fails: %s', (text, params, task) => {
    const all = { mode: 'gt_pool', frame_selection_method: 'random_uniform', frame_count: 2, frames_per_job_count: 1, ...params } as const; // prettier-ignore
    expect(() => planValidation(plan(10, { segmentSize: 4 }), all, { ...IMAGES, ...task }, 1)).toThrow(text);
  });
});

describe('requireValidation', () => {
  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{ frame_selection_method: 'random_uniform' }, { non_field_errors: ['One of the fields "frame_count", "frame_share" required'] }],
    [{ frame_selection_method: 'random_uniform', frame_count: 1, frame_share: 0.5 }, { non_field_errors: ['Only 1 of the fields "frame_count", "frame_share" can be used'] }],
    [{ frame_selection_method: 'random_per_job' }, { non_field_errors: ['One of the fields "frames_per_job_count", "frames_per_job_share" required'] }],
    [{ mode: 'gt_pool', frame_selection_method: 'random_uniform', frame_count: 1 }, { non_field_errors: ['One of the fields "frames_per_job_count", "frames_per_job_share" required'] }],
    [{ mode: 'gt_pool', frame_selection_method: 'random_per_job', frames_per_job_count: 1 }, { non_field_errors: ['The "frame_selection_method" field must be one of manual, random_uniform'] }],
    [{ frame_selection_method: 'manual' }, { non_field_errors: ['The "frames" field is required'] }],
    [{ frame_selection_method: 'manual', frames: ['a', 'a'] }, { frames: ['Frames must not repeat'] }],
    [{ frame_selection_method: 'random_uniform', frame_count: 1, frames: ['a'] }, { non_field_errors: ['"frames" can only be used when "frame_selection_method" is "manual"'] }],
    [{ frame_selection_method: 'random_uniform', frame_share: 1.5 }, { frame_share: ['Value must be in the range [0; 1]'] }],
  ])('rejects %j', (params, fields) => {
    const dto = { mode: 'gt', ...params } as ValidationParamsDto;
    expect(() => requireValidation(dto)).toThrow(expect.objectContaining({ body: { validation_params: fields } }));
  });
}); // prettier-ignore

const SEED = 7;

/** File names whose lexicographical, natural and given orders differ. */
const names = fc.uniqueArray(
  fc.tuple(fc.constantFrom('', 'a/', 'B/'), fc.nat(120)).map(([folder, number]) => `${folder}img${number}.jpg`),
  { minLength: 1, maxLength: 40 },
);

/** A task divided by segment size and overlap. */
const sized: fc.Arbitrary<FramePlanInput> = names.chain((files) =>
  fc.record({
    files: fc.constant(files),
    sorting: fc.constantFrom('lexicographical', 'natural', 'predefined', 'random'),
    order: fc.option(fc.shuffledSubarray(files, { minLength: files.length })),
    mapping: fc.constant(null),
    startFrame: fc.nat(files.length - 1),
    stopFrame: fc.nat(60),
    frameFilter: fc.constantFrom('', 'step=1', 'step=2', 'step=7', 'step=100'),
    segmentSize: fc.nat(50),
    overlap: fc.option(fc.nat(60)),
  }),
);

/** A task divided by a mapping of files to jobs. */
const mapped = names.chain((files) =>
  fc
    .tuple(fc.shuffledSubarray(files, { minLength: 1 }), fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }))
    .map(([chosen, sizes]) => {
      const mapping: string[][] = [];
      for (let at = 0, list = 0; at < chosen.length; list++) {
        const size = sizes[list % sizes.length] ?? 1;
        mapping.push(chosen.slice(at, at + size));
        at += size;
      }
      return { files, mapping };
    }),
);

describe('planFrames', () => {
  it('selects the requested frames in order, each in a segment, with the requested overlap', () => {
    fc.assert(
      fc.property(sized, (input) => {
        const last = input.files.length - 1;
        const stop = input.stopFrame === 0 ? last : Math.min(input.stopFrame, last);
        fc.pre(input.startFrame <= stop);
        const { frames, selection, segments, segmentSize, overlap } = planFrames(input, mersenneTwister(SEED));

        const order = input.order === null ? {} : { order: input.order };
        const sorted = sortFiles(input.files, input.sorting, { random: mersenneTwister(SEED), ...order });
        const step = Number(/\d+/.exec(input.frameFilter)?.[0] ?? 1);
        const wanted = upTo(input.files.length).filter(
          (at) => at >= input.startFrame && at <= stop && (at - input.startFrame) % step === 0,
        );
        expect(frames).toEqual(wanted.map((at) => sorted[at]));
        expect(selection.size).toBe(frames.length);
        expect(upTo(frames.length).map((frame) => absoluteFrame(selection, frame))).toEqual(wanted);
        for (const absolute of upTo(input.files.length)) {
          const relative = relativeFrame(selection, absolute);
          expect(relative).toBe(wanted.includes(absolute) ? wanted.indexOf(absolute) : null);
          if (relative !== null) expect(absoluteFrame(selection, relative)).toBe(absolute);
        }

        const isCut = input.segmentSize > 0 && input.segmentSize <= frames.length;
        expect(segmentSize).toBe(isCut ? input.segmentSize : frames.length);
        expect(overlap).toBe(Math.min(input.overlap ?? 0, Math.floor(segmentSize / 2)));
        const covered = segments.flatMap((segment) =>
          upTo(segment.stop - segment.start + 1).map((at) => segment.start + at),
        );
        expect([...new Set(covered)]).toEqual(upTo(frames.length));
        for (const [at, segment] of segments.entries()) {
          const next = segments[at + 1];
          if (next === undefined) continue;
          expect(segment.stop - segment.start + 1).toBe(segmentSize);
          expect(segment.stop - next.start + 1).toBe(overlap);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('takes the files of a mapping, one segment per list, without overlap', () => {
    fc.assert(
      fc.property(mapped, ({ files, mapping }) => {
        const input = { files, mapping, sorting: 'lexicographical', order: null, startFrame: 0, stopFrame: 0, frameFilter: '', segmentSize: 0, overlap: null } as const; // prettier-ignore
        const { frames, selection, segments, segmentSize, overlap } = planFrames(input, mersenneTwister(SEED));
        expect(segments.map(({ start, stop }) => frames.slice(start, stop + 1))).toEqual(mapping);
        expect([segmentSize, overlap]).toEqual([0, 0]);
        expect(selection).toEqual({ start: 0, step: 1, size: frames.length, stop: frames.length - 1 });
        for (const frame of upTo(frames.length))
          expect(relativeFrame(selection, absoluteFrame(selection, frame))).toBe(frame);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ segmentSize: 2 }, 'segment_size'],
    [{ sorting: 'natural' }, 'sorting_method'],
    [{ startFrame: 1 }, 'start_frame'],
    [{ stopFrame: 1 }, 'stop_frame'],
    [{ frameFilter: 'step=2' }, 'frame_filter'],
  ] as const)('does not allow %j together with a mapping', (more, field) => {
    const input = { files: ['a', 'b'], mapping: [['a']], sorting: 'lexicographical', order: null, startFrame: 0, stopFrame: 0, frameFilter: '', segmentSize: 0, overlap: null } as const; // prettier-ignore
    expect(() => planFrames({ ...input, ...more }, mersenneTwister(SEED))).toThrow(`cannot be used with ${field}`);
  });

  it('requires a mapping with at least one job', () => {
    const input = { files: ['a', 'b'], mapping: [], sorting: 'lexicographical', order: null, startFrame: 0, stopFrame: 0, frameFilter: '', segmentSize: 0, overlap: null } as const; // prettier-ignore
    expect(() => planFrames(input, mersenneTwister(SEED))).toThrow('job_file_mapping cannot be empty');
  });
});
