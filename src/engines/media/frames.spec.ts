import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  ChunkOutOfRange,
  chunkOfFrame,
  defaultChunkSize,
  jobChunkByIndex,
  jobChunkByNumber,
  jobIndexRange,
  jobNumberRange,
  taskChunkFrames,
} from './chunks.js';
import { absoluteFrame, parseFrameStep, relativeFrame, selectImageFrames } from './frames.js';
import { planMappedSegments, planSegments } from './segments.js';

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, at) => at);

describe('selectImageFrames', () => {
  it.each([
    [{ count: 10 }, { start: 0, step: 1, size: 10, stop: 9 }],
    [
      { count: 10, stop: 0 },
      { start: 0, step: 1, size: 10, stop: 9 },
    ],
    [
      { count: 10, stop: 99 },
      { start: 0, step: 1, size: 10, stop: 9 },
    ],
    [
      { count: 10, start: 1, stop: 8, step: 3 },
      { start: 1, step: 3, size: 3, stop: 7 },
    ],
    [
      { count: 10, start: 9, step: 100 },
      { start: 9, step: 100, size: 1, stop: 9 },
    ],
  ])('%j gives %j', (request, selection) => expect(selectImageFrames(request)).toEqual(selection));

  it('rejects a start beyond the end', () =>
    expect(() => selectImageFrames({ count: 3, start: 3 })).toThrow('AssertionError'));

  it('converts between task frames and source frames', () => {
    const request = fc.record({
      count: fc.integer({ min: 1, max: 300 }),
      start: fc.nat(20),
      stop: fc.nat(300),
      step: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(request, (asked) => {
        const end = asked.stop === 0 ? asked.count - 1 : Math.min(asked.stop, asked.count - 1);
        fc.pre(asked.start <= end);
        const selection = selectImageFrames(asked);
        const chosen = upTo(asked.count - 1).filter(
          (a) => a >= asked.start && a <= end && (a - asked.start) % asked.step === 0,
        );
        expect(upTo(selection.size - 1).map((r) => absoluteFrame(selection, r))).toEqual(chosen);
        expect(selection.stop).toBe(chosen.at(-1));
        for (const a of upTo(asked.count))
          expect(relativeFrame(selection, a)).toBe(chosen.includes(a) ? chosen.indexOf(a) : null);
      }),
    );
  });
});

describe('parseFrameStep', () => {
  it.each([
    ['', 1],
    ['step=3', 3],
    ['  step = 12 ', 12],
    ['step=0', null],
    ['step=', null],
    ['3', null],
    ['step=99999999999999999999', null],
  ])('%j is %j', (text, step) => expect(parseFrameStep(text)).toBe(step));
});

describe('planSegments', () => {
  it('follows the example of the formula', () => {
    expect(planSegments({ size: 10, segmentSize: 4, overlap: 1, mode: 'annotation' })).toEqual({
      segmentSize: 4,
      overlap: 1,
      segments: [
        { start: 0, stop: 3 },
        { start: 3, stop: 6 },
        { start: 6, stop: 9 },
      ],
    });
  });

  it('creates one segment without a size, and an overlap of 5 frames for interpolation', () => {
    expect(planSegments({ size: 10, mode: 'annotation' })).toEqual({
      segmentSize: 10,
      overlap: 0,
      segments: [{ start: 0, stop: 9 }],
    });
    expect(planSegments({ size: 30, segmentSize: 20, mode: 'interpolation' })).toMatchObject({ overlap: 5 });
    expect(planSegments({ size: 30, segmentSize: 20, overlap: 0, mode: 'interpolation' })).toMatchObject({
      overlap: 0,
    });
  });

  it('puts each frame in a segment, with the requested overlap', () => {
    const request = fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      segmentSize: fc.nat(250),
      overlap: fc.option(fc.nat(250)),
      mode: fc.constantFrom('annotation' as const, 'interpolation' as const),
    });
    fc.assert(
      fc.property(request, (asked) => {
        const { segments, segmentSize, overlap } = planSegments(asked);
        expect(segments[0]?.start).toBe(0);
        expect(segments.at(-1)?.stop).toBe(asked.size - 1);
        for (const [at, segment] of segments.entries()) {
          const next = segments[at + 1];
          if (!next) continue;
          expect(segment.stop - segment.start + 1).toBe(segmentSize);
          expect(segment.stop - next.start + 1).toBe(overlap);
          expect(next.stop).toBeGreaterThan(segment.stop);
        }
        expect(overlap).toBeLessThanOrEqual(segmentSize / 2);
      }),
    );
  });
});

describe('planMappedSegments', () => {
  it('creates one segment per list and omits other files', () => {
    expect(planMappedSegments([['c', 'a'], ['b']], ['a', 'b', 'c', 'd'])).toEqual({
      segmentSize: 0,
      overlap: 0,
      segments: [
        { start: 0, stop: 1 },
        { start: 2, stop: 2 },
      ],
      files: ['c', 'a', 'b'],
    });
  });

  it('names a file that was not uploaded', () => {
    expect(() => planMappedSegments([['x']], ['a'])).toThrow("Can't find file 'x' in the input files");
  });
});

describe('chunks', () => {
  it('by default contain the pixels of 36 full-HD images', () => {
    expect(defaultChunkSize('imageset', { width: 1920, height: 1080 })).toBe(36);
    expect(defaultChunkSize('imageset', { width: 10, height: 10 })).toBe(72);
    expect(defaultChunkSize('imageset', { width: 20000, height: 10000 })).toBe(2);
    expect(defaultChunkSize('video', { width: 20000, height: 10000 })).toBe(36);
  });

  const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 80 }));

  it('divide a task', () => {
    fc.assert(
      fc.property(sizes, ([size, chunkSize]) => {
        const chunks = upTo(chunkOfFrame(size - 1, chunkSize)).map((n) => taskChunkFrames(n, chunkSize, size));
        expect(chunks.flat()).toEqual(upTo(size - 1));
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === chunkSize)).toBe(true);
      }),
    );
  });

  it('divide a job by index and by number', () => {
    const job = fc.tuple(fc.nat(100), fc.nat(100)).map(([start, length]) => ({ start, stop: start + length }));
    fc.assert(
      fc.property(job, fc.integer({ min: 1, max: 40 }), (range, chunkSize) => {
        const all = upTo(range.stop).slice(range.start);
        const byIndex = upTo(jobIndexRange(range, chunkSize).stop).flatMap((i) => jobChunkByIndex(range, chunkSize, i));
        const numbers = jobNumberRange(range, chunkSize);
        const byNumber = upTo(numbers.stop)
          .slice(numbers.start)
          .flatMap((n) => jobChunkByNumber(range, chunkSize, n));
        expect(byIndex).toEqual(all);
        expect(byNumber).toEqual(all);
      }),
    );
  });

  it('keep the positions of frames that a job does not include', () => {
    const job = { start: 0, stop: 9, included: [1, 5, 8] };
    expect(jobChunkByNumber(job, 4, 1)).toEqual([null, 5, null, null]);
    expect(jobChunkByIndex(job, 2, 1)).toEqual([8]);
    expect(jobIndexRange(job, 2)).toEqual({ start: 0, stop: 1 });
  });

  it.each([-1, 3, 0.5, NaN])('rejects chunk %p of three', (number) => {
    expect(() => taskChunkFrames(number, 4, 10)).toThrow(new ChunkOutOfRange(number, { start: 0, stop: 2 }));
    expect(() => jobChunkByIndex({ start: 0, stop: 9 }, 4, number)).toThrow(/\[0, 2\] range$/);
  });

  it('rejects task chunks that do not overlap the job', () => {
    expect(() => jobChunkByNumber({ start: 4, stop: 9 }, 4, 0)).toThrow(
      "Invalid chunk number '0'. The chunk number should be in the [1, 2] range",
    );
  });
});
