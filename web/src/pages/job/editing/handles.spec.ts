import { dragged, edgeAt, handleAt } from './handles';

const box = { type: 'rectangle', points: [0, 0, 40, 20], rotation: 0 } as const;
const rectangle = { ...box, points: [...box.points] };
const triangle = { type: 'polygon' as const, points: [0, 0, 40, 0, 0, 40], rotation: 0 };

describe('handles', () => {
  it('are found near the pointer; the rotation handle is above the shape', () => {
    expect(handleAt(rectangle, 1, 1, 5, 1)).toEqual({ kind: 'side', index: 0 });
    expect(handleAt(rectangle, 20, -24, 5, 1)).toEqual({ kind: 'rotation' });
    expect(handleAt(rectangle, 20, -48, 5, 2)).toEqual({ kind: 'rotation' });
    expect(handleAt(rectangle, 20, 10, 5, 1)).toBeUndefined();
    expect(handleAt(triangle, 38, 1, 5, 1)).toEqual({ kind: 'vertex', index: 1 });
  });

  it('resize, reshape, move and rotate', () => {
    expect(dragged(rectangle, { kind: 'side', index: 4 }, 50, 60, false).points).toEqual([0, 0, 50, 60]);
    expect(dragged(triangle, { kind: 'vertex', index: 2 }, 5, 50, false).points).toEqual([0, 0, 40, 0, 5, 50]);
    expect(dragged(rectangle, { kind: 'body', fromX: 10, fromY: 10 }, 15, 8, false).points).toEqual([5, -2, 45, 18]);
    expect(dragged(rectangle, { kind: 'rotation' }, 40, 10, false).rotation).toBe(90);
    expect(dragged(rectangle, { kind: 'rotation' }, 40, 12, true).rotation).toBe(90);
  });

  it('of edges say where a new vertex belongs', () => {
    expect(edgeAt(triangle, 20, 1, 3)).toBe(1);
    expect(edgeAt(triangle, 0, 20, 3)).toBe(3);
    expect(edgeAt({ ...triangle, type: 'polyline' }, 0, 20, 3)).toBeUndefined();
    expect(edgeAt(rectangle, 20, 0, 3)).toBeUndefined();
  });

  it('of the box around a skeleton scale it', () => {
    const skeleton = { type: 'skeleton' as const, points: [10, 10, 30, 20, 20, 50], rotation: 0 };
    const corner = handleAt(skeleton, 44, 64, 5, 1);
    expect(corner).toEqual({ kind: 'scale', index: 4, padding: 14 });
    expect(corner && dragged(skeleton, corner, 64, 64, false).points).toEqual([10, 10, 50, 20, 30, 50]);
    expect(handleAt(skeleton, 30, 20, 5, 1)).toEqual({ kind: 'vertex', index: 1 });
  });
});
