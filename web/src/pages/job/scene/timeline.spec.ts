import type { Track, TrackedShape } from '#shared/annotations/model';
import { barsIn, marksIn, moved, occupied, Timeline, zoomed } from './timeline';

const keyframe = (frame: number, outside = false): TrackedShape => ({
  id: null,
  type: 'rectangle',
  frame,
  occluded: false,
  outside,
  z_order: 0,
  rotation: 0,
  points: [0, 0, 1, 1],
  attributes: [],
});

const track = (...shapes: TrackedShape[]) => ({
  kind: 'track' as const,
  value: { id: null, label_id: 1, group: 0, source: 'manual', attributes: [], frame: 0, shapes, elements: [] } as Track,
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('Timeline', () => {
  it('knows keyframes, and where a track is outside', () => {
    const times = new Timeline(upTo(20)).of(track(keyframe(2), keyframe(5, true), keyframe(9), keyframe(12)));
    expect(times.keyframes).toEqual([2, 5, 9, 12]);
    expect(times.ranges).toEqual([
      [2, 5],
      [9, 20],
    ]);
  });

  it('counts only the frames of the job', () => {
    const times = new Timeline([10, 20, 30]).of(track(keyframe(10), keyframe(15), keyframe(25, true)));
    expect(times).toEqual({ keyframes: [0], ranges: [[0, 2]] });
  });
});

describe('occupied', () => {
  it('marks the frames with tags, shapes and visible tracks', () => {
    const tag = {
      kind: 'tag' as const,
      value: { id: null, label_id: 1, group: 0, source: 'manual', attributes: [], frame: 60 },
    };
    const objects = [
      track(keyframe(10), keyframe(30, true)),
      { ...tag },
      { ...tag, value: { ...tag.value, frame: 65 } },
    ];
    const entries = objects.map((object, at) => [String(at), object] as const);
    expect([...occupied(entries, [10, 20, 30, 40, 50, 60])]).toEqual([1, 1, 0, 0, 0, 1]);
  });
});

describe('what a timeline draws', () => {
  it('has no more marks than pixels, and none twice', () => {
    const marks = marksIn(upTo(100_000), { from: 0, to: 100_000 }, 800);
    expect(marks).toEqual(upTo(800));
  });

  it('has a mark in the middle of each frame', () => {
    expect(marksIn([0, 3, 9, 40], { from: 0, to: 10 }, 100)).toEqual([5, 35, 95]);
    expect(marksIn([0, 3, 9, 40], { from: 3, to: 13 }, 100)).toEqual([5, 65]);
  });

  it('joins bars that touch', () => {
    const ranges = [
      [0, 100],
      [101, 200],
      [500, 600],
    ] as const;
    expect(barsIn(ranges, { from: 0, to: 1000 }, 100)).toEqual([
      [0, 20],
      [50, 60],
    ]);
    expect(barsIn(ranges, { from: 50, to: 150 }, 100)).toEqual([
      [0, 50],
      [51, 100],
    ]);
  });
});

describe('the view of a timeline', () => {
  it('zooms about a position, to no less than ten frames and no more than all', () => {
    expect(zoomed({ from: 0, to: 100 }, 2, 50, 100)).toEqual({ from: 25, to: 75 });
    expect(zoomed({ from: 0, to: 12 }, 2, 0, 100)).toEqual({ from: 0, to: 10 });
    expect(zoomed({ from: 25, to: 75 }, 0.1, 50, 100)).toEqual({ from: 0, to: 100 });
  });

  it('stays within the frames', () => {
    expect(moved({ from: 10, to: 30 }, -20, 100)).toEqual({ from: 0, to: 20 });
    expect(moved({ from: 70, to: 90 }, 20, 100)).toEqual({ from: 80, to: 100 });
  });
});
