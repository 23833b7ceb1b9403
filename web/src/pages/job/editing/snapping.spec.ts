import { boundsOf, drawingsOf } from '../scene/drawing';
import type { SceneObject } from '../scene/scene';
import { snapTarget } from './snapping';

const object = (type: 'polygon' | 'polyline' | 'ellipse', points: number[]): SceneObject => {
  const drawings = drawingsOf({ type, points, rotation: 0 });
  return { drawings, bounds: boundsOf(drawings) } as unknown as SceneObject;
};
const SQUARE = object('polygon', [0, 0, 100, 0, 100, 100, 0, 100]);

describe('a vertex', () => {
  it('snaps to the nearest vertex, even if an edge is nearer', () => {
    expect(snapTarget([SQUARE], { x: 104, y: -3 }, 6)).toEqual({ x: 100, y: 0 });
    expect(snapTarget([SQUARE], { x: 96, y: 1 }, 6)).toEqual({ x: 100, y: 0 });
  });

  it('snaps to an edge where no vertex is near, also to the last one of a polygon', () => {
    expect(snapTarget([SQUARE], { x: 50, y: 4 }, 6)).toEqual({ x: 50, y: 0 });
    expect(snapTarget([SQUARE], { x: -4, y: 50 }, 6)).toEqual({ x: 0, y: 50 });
    expect(snapTarget([object('polyline', [0, 0, 100, 0, 100, 100, 0, 100])], { x: -4, y: 50 }, 6)).toBeUndefined();
  });

  it('snaps to nothing that is far, or has no vertices', () => {
    expect(snapTarget([SQUARE], { x: 50, y: 50 }, 6)).toBeUndefined();
    expect(snapTarget([object('ellipse', [50, 50, 100, 0])], { x: 99, y: 50 }, 6)).toBeUndefined();
  });
});
