import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { absoluteFrame, relativeFrame } from '../../../engines/media/frames.js';
import { mersenneTwister } from '../../../engines/media/random.js';
import { sortFiles } from '../../../engines/media/sorting.js';
import { type FramePlanInput, planFrames } from './media-plan.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
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
