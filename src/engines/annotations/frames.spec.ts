import { describe, expect, it } from '@jest/globals';
import { emptyData, type LabeledData } from '../../shared/annotations/model.js';
import { AnnotationInvalid } from './field-errors.js';
import { checkFrames, onFramesOfTask } from './frames.js';
import { parseLabeledData } from './parse.js';

const SIZE = 6;
const GONE = { frame: ['Frame 6 does not exist. The task has the frames 0 to 5.'] };
const box = { type: 'rectangle', frame: 0, label_id: 1, points: [1, 2, 3, 4] };
const key = (frame: number, outside = false) => ({ type: 'rectangle', frame, outside, points: [1, 2, 3, 4] });
const track = (shapes: object[], more: object = {}) => ({ label_id: 1, frame: 0, shapes, ...more });

function errorsOf(body: object): unknown {
  const data: LabeledData = parseLabeledData(body, { action: 'create' });
  try {
    checkFrames(data, SIZE);
  } catch (error) {
    if (error instanceof AnnotationInvalid) return error.errors;
    throw error;
  }
  return undefined;
}

describe('checkFrames', () => {
  it.each<[string, object, unknown]>([
    ['a tag', { tags: [{ label_id: 1, frame: 6 }] }, { tags: [GONE] }],
    ['a shape', { shapes: [box, { ...box, frame: 6 }] }, { shapes: [{}, GONE] }],
    [
      'an element of a shape',
      { shapes: [{ ...box, type: 'skeleton', points: [], elements: [{ ...box, frame: 6 }] }] },
      { shapes: [{ elements: [GONE] }] },
    ],
    ['a track', { tracks: [track([key(0)], { frame: 6 })] }, { tracks: [GONE] }],
    ['a keyframe', { tracks: [track([key(0), key(6)])] }, { tracks: [{ shapes: [{}, GONE] }] }],
    [
      'a keyframe of an element',
      { tracks: [track([key(0)], { elements: [track([key(0)]), track([key(6)])] })] },
      { tracks: [{ elements: [{}, { shapes: [GONE] }] }] },
    ],
  ])('names the frame of %s that the task does not have', (_, body, errors) => {
    expect(errorsOf(body)).toEqual(errors);
  });

  it('accepts the last frame', () => {
    expect(errorsOf({ tags: [{ label_id: 1, frame: 5 }], tracks: [track([key(0), key(5)])] })).toBeUndefined();
  });

  it('accepts a keyframe that hides an object from the frame after the last one', () => {
    expect(errorsOf({ tracks: [track([key(0), key(6, true)])] })).toBeUndefined();
  });

  it('names the frame of a keyframe that hides an object later', () => {
    expect(errorsOf({ tracks: [track([key(0), key(7, true)])] })).toMatchObject({ tracks: [{ shapes: [{}, {}] }] });
  });

  it.each([
    [{ start: 6, stop: 7 }, '[6, 7]'],
    [{ start: 0, stop: 7 }, '[0, 7]'],
    [{ start: 6, stop: null }, '[6, None]'],
  ])('names an interval outside the task: %j', (interval, got) => {
    expect(errorsOf({ intervals: [{ label_id: 1, ...interval }] })).toEqual([
      `Interval start must be within [0, 5] and stop must be within [0, 6], got ${got}`,
    ]);
  });

  it('accepts an interval up to the end', () => {
    const intervals = [{ label_id: 1, start: 5, stop: 6 }, { label_id: 1, start: 0, stop: null }]; // prettier-ignore
    expect(errorsOf({ intervals })).toBeUndefined();
  });

  it('reports a limited number of faults', () => {
    const shapes = Array.from({ length: 3_000 }, () => ({ ...box, frame: 6 }));
    const errors = errorsOf({ shapes }) as { shapes: object[] };
    expect(errors.shapes).toHaveLength(1_000);
  });

  it('accepts no annotations', () => {
    expect(() => checkFrames(emptyData(), SIZE)).not.toThrow();
  });
});

describe('onFramesOfTask', () => {
  const only = (body: object) => onFramesOfTask(parseLabeledData(body, { action: 'create' }), SIZE);

  it('leaves out tags and shapes on other frames', () => {
    const tag = (frame: number) => ({ label_id: 1, frame });
    const found = only({ tags: [tag(5), tag(6)], shapes: [box, { ...box, frame: 6 }] });
    expect(found).toMatchObject({ tags: [tag(5)], shapes: [box] });
  });

  it('keeps the shapes of a track that leads to another frame', () => {
    const far = { ...key(10), points: [11, 12, 13, 14] };
    const [found] = only({ tracks: [track([key(0), far])] }).tracks ?? [];
    expect(found?.shapes).toMatchObject([{ frame: 0, points: [1, 2, 3, 4] }, { frame: 5, points: [6, 7, 8, 9] }]); // prettier-ignore
  });

  it('leaves out tracks that begin later', () => {
    expect(only({ tracks: [track([key(8)], { frame: 8 })] }).tracks).toEqual([]);
  });

  it('ends intervals with the task', () => {
    const intervals = [{ label_id: 1, start: 2, stop: 9 }, { label_id: 1, start: 6, stop: 7 }]; // prettier-ignore
    expect(only({ intervals }).intervals).toMatchObject([{ start: 2, stop: SIZE }]);
  });
});
