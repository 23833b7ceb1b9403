import { describe, expect, it } from '@jest/globals';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { trackFrom } from '#shared/annotations/editing/tracks';
import type { Shape } from '#shared/annotations/model';
import { rectangleOn } from '../../../../../test/support/rectangle-on';
import {
  copiedTo,
  freeGroup,
  nextLayer,
  pasted,
  redrawn,
  shapeOf,
  withAttribute,
  withChange,
  withElementChange,
  withShape,
  withToggledKeyframe,
} from './object-edits';

const rectangle = rectangleOn(0, [0, 0, 10, 20]);
const shape: EditedObject = { kind: 'shape', value: rectangle };
const track: EditedObject = { kind: 'track', value: trackFrom(rectangle) };
const tag: EditedObject = {
  kind: 'tag',
  value: { id: null, label_id: 1, group: 0, source: 'manual', attributes: [], frame: 0 },
};
const element = (labelId: number, x: number, y: number): Shape['elements'][number] => {
  const { elements: _, ...point } = { ...rectangle, type: 'points' as const, label_id: labelId, points: [x, y] };
  return point;
};
const skeleton: Shape = {
  ...rectangle,
  type: 'skeleton',
  points: [],
  elements: [element(11, 0, 0), element(12, 4, 4)],
};

describe('freeGroup', () => {
  it('is the smallest number that is not used', () => {
    expect(freeGroup([0, 1, 2 ** 31 - 1])).toBe(2);
  });
});

describe('nextLayer', () => {
  it.each([
    [3, 1, 4],
    [2 ** 31 - 1, 1, 2 ** 31 - 1],
    [1 - 2 ** 31, -1, 1 - 2 ** 31],
  ] as const)('of %i in the direction %i is %i', (layer, by, next) => {
    expect(nextLayer(layer, by)).toBe(next);
  });
});

describe('edits of an object', () => {
  it('change a shape on all, and a track from one frame on', () => {
    expect(shapeOf(withChange(shape, 5, { occluded: true }), 0)?.occluded).toBe(true);
    const changed = withChange(track, 5, { points: [10, 0, 20, 20] });
    expect([0, 5, 9].map((frame) => shapeOf(changed, frame)?.points)).toEqual([
      [0, 0, 10, 20],
      [10, 0, 20, 20],
      [10, 0, 20, 20],
    ]);
    expect(withChange(tag, 5, { occluded: true })).toBe(tag);
  });

  it('add and remove keyframes', () => {
    const added = withToggledKeyframe(track, 5);
    expect(added.kind === 'track' && added.value.shapes.map(({ frame }) => frame)).toEqual([0, 5]);
    const removed = withToggledKeyframe(added, 5);
    expect(removed.kind === 'track' && removed.value.shapes.map(({ frame }) => frame)).toEqual([0]);
  });

  it('set a mutable attribute of a track on one frame, and all others on the object', () => {
    const red = { spec_id: 7, value: 'red' };
    const onFrame = withAttribute(track, 5, red, new Set([7]));
    expect([0, 5].map((frame) => shapeOf(onFrame, frame)?.attributes)).toEqual([[], [red]]);
    expect(onFrame.value.attributes).toEqual([]);
    const blue = { spec_id: 7, value: 'blue' };
    expect(withAttribute(withAttribute(shape, 0, red, new Set()), 0, blue, new Set()).value.attributes).toEqual([blue]);
  });

  it('change the elements of a skeleton', () => {
    const object: EditedObject = { kind: 'shape', value: skeleton };
    const hidden = shapeOf(withElementChange(object, 0, 1, { outside: true }), 0);
    expect(hidden?.elements.map(({ outside }) => outside)).toEqual([false, true]);
    const moved = { ...skeleton, elements: [element(11, 1, 1), element(12, 5, 5)] };
    const start: EditedObject = { kind: 'track', value: trackFrom(skeleton) };
    const later = withShape(start, 3, moved);
    expect([0, 3].map((frame) => shapeOf(later, frame)?.elements.map(({ points }) => points))).toEqual([
      [
        [0, 0],
        [4, 4],
      ],
      [
        [1, 1],
        [5, 5],
      ],
    ]);
  });

  it('redraw an outline without its rotation, and a skeleton inside a box', () => {
    const none = (): Shape['elements'] => [];
    expect(redrawn({ ...rectangle, rotation: 30 }, [1, 2, 3, 4], none)).toEqual({ points: [1, 2, 3, 4], rotation: 0 });
    const inBox = (): Shape['elements'] => [element(11, 100, 100), element(12, 200, 200)];
    expect(redrawn(skeleton, [100, 100, 200, 200], inBox).points).toEqual([100, 100, 200, 200]);
  });
});

describe('copies of shapes', () => {
  it('are new objects on another frame', () => {
    expect(copiedTo({ ...rectangle, id: 9 }, 4)).toMatchObject({ id: null, frame: 4, points: rectangle.points });
  });

  it('are visible, and have their common centre at a position', () => {
    const others = [{ ...rectangle, outside: true }, rectangleOn(0, [20, 0, 30, 20])];
    const copies = pasted(others, 2, { x: 115, y: 110 }).map((copy) => shapeOf(copy, 2));
    expect(copies.map((copy) => copy?.points)).toEqual([
      [100, 100, 110, 120],
      [120, 100, 130, 120],
    ]);
    expect(copies.map((copy) => copy?.outside)).toEqual([false, false]);
  });
});
