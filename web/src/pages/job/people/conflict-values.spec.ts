import { describe, expect, it } from '@jest/globals';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { trackFrom, withKeyframe } from '#shared/annotations/editing/tracks';
import { rectangleOn } from '../../../../../test/support/rectangle-on';
import type { Label } from '../../../app/api';
import { comparedValues, conflictFrame, drawingOf } from './conflict-values';

const LABELS = [
  { id: 1, name: 'cat', attributes: [{ id: 7, name: 'coat' }] },
  { id: 2, name: 'dog', attributes: [] },
] as unknown as Label[];

const shape = (points: number[], more: object = {}): EditedObject => ({
  kind: 'shape',
  value: { ...rectangleOn(3, points), label_id: 1, ...more },
});
const differing = (mine: EditedObject | undefined, theirs: EditedObject | undefined): unknown[] => {
  const conflict = { key: 'shape:1', mine, theirs };
  return comparedValues(conflict, conflictFrame(conflict), LABELS)
    .filter(({ differs }) => differs)
    .map(({ name, mine: a, theirs: b }) => [name, a, b]);
};

describe('the values of a conflict', () => {
  it('tell label, attributes and position apart', () => {
    const coat = (value: string) => ({ attributes: [{ spec_id: 7, value }] });
    expect(differing(shape([0, 0, 10, 20], coat('tabby')), shape([5, 0, 15, 20], coat('black')))).toEqual([
      ['coat', 'tabby', 'black'],
      ['Position', '0, 0', '5, 0'],
    ]);
    expect(differing(shape([0, 0, 10, 20]), shape([0, 0, 10, 30], { label_id: 2, occluded: true }))).toEqual([
      ['Label', 'cat', 'dog'],
      ['Size', '10 × 20', '10 × 30'],
      ['Occluded', 'no', 'yes'],
    ]);
    expect(differing(shape([0, 0, 10, 20]), undefined)).toContainEqual(['Label', 'cat', undefined]);
  });

  it('tell outlines apart that have the same box', () => {
    const polygon = (points: number[]): EditedObject => shape(points, { type: 'polygon' });
    expect(differing(polygon([0, 0, 10, 0, 10, 10]), polygon([0, 0, 10, 0, 0, 10]))).toEqual([
      ['Points', '3 points', '3 points'],
    ]);
  });

  it('compare tracks on the first frame on which they differ', () => {
    const track = trackFrom(rectangleOn(0, [0, 0, 10, 10]));
    const moved = (frame: number): EditedObject => ({
      kind: 'track',
      value: withKeyframe(withKeyframe(track, 4, {}), frame, { points: [50, 0, 60, 10] }),
    });
    const conflict = { key: 'track:1', mine: moved(6), theirs: moved(8) };
    expect(conflictFrame(conflict)).toBe(6);
    expect(differing(conflict.mine, conflict.theirs)).toEqual([
      ['Position', '50, 0', '25, 0'],
      ['Keyframes', '3 (frames 0 to 6)', '3 (frames 0 to 8)'],
    ]);
  });

  it('show cuboids of point clouds from above', () => {
    const points = [4, 2, 1, 0, 0, 0, 4, 2, 1.5, 0, 0, 0, 0, 0, 0, 0];
    expect(drawingOf({ ...rectangleOn(0, points), type: 'cuboid' })).toEqual([
      { kind: 'path', points: [2, -1, 6, -1, 6, -3, 2, -3], closed: true, filled: true },
    ]);
    expect(differing(shape(points, { type: 'cuboid' }), undefined)).toContainEqual([
      'Position',
      '4 m, 2 m, 1 m',
      undefined,
    ]);
  });
});
