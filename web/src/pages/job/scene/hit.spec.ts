import { boundsOf, type Drawing, drawingsOf } from './drawing';
import { distanceToPath, insidePolygon, maskHas, objectsAt, touches } from './hit';
import type { SceneObject } from './scene';

const object = (key: string, drawings: Drawing[], zOrder = 0): SceneObject =>
  ({ key, zOrder, drawings, bounds: boundsOf(drawings) }) as unknown as SceneObject;
const rectangle = (...points: number[]): Drawing[] => drawingsOf({ type: 'rectangle', points, rotation: 0 });

describe('objectsAt', () => {
  const large = object('large', rectangle(0, 0, 100, 100));
  const small = object('small', rectangle(40, 40, 60, 60));

  it('finds the smallest of a layer, whichever was drawn last', () => {
    expect(objectsAt([large, small], 50, 50, 2)[0]).toBe(small);
    expect(objectsAt([small, large], 50, 50, 2)[0]).toBe(small);
    expect(objectsAt([large, small], 10, 10, 2)[0]).toBe(large);
    expect(objectsAt([large, small], 50, 50, 2)).toEqual([small, large]);
    expect(objectsAt([large, small], 110, 10, 2)[0]).toBeUndefined();
  });

  it('prefers the upper layer', () => {
    const upper = object('upper', rectangle(0, 0, 200, 200), 1);
    expect(objectsAt([upper, large, small], 50, 50, 2)[0]).toBe(upper);
  });

  it('reaches lines and points within the tolerance only', () => {
    const line = object('line', drawingsOf({ type: 'polyline', points: [0, 0, 10, 0, 10, 10], rotation: 0 }));
    const dots = object('dots', drawingsOf({ type: 'points', points: [50, 50], rotation: 0 }));
    expect(objectsAt([line, dots], 5, 2, 3)[0]).toBe(line);
    expect(objectsAt([line, dots], 5, 4, 3)[0]).toBeUndefined();
    expect(objectsAt([line, dots], 52, 52, 3)[0]).toBe(dots);
  });
});

describe('touches', () => {
  it('turns an ellipse as it is drawn', () => {
    const [ellipse] = drawingsOf({ type: 'ellipse', points: [0, 0, 10, -2], rotation: 90 });
    expect(ellipse && touches(ellipse, 0, 9, 0)).toBe(true);
    expect(ellipse && touches(ellipse, 9, 0, 0)).toBe(false);
  });
});

describe('geometry', () => {
  it('knows the inside of a polygon with a notch', () => {
    const notched = [0, 0, 10, 0, 10, 10, 5, 2, 0, 10];
    expect(insidePolygon(notched, 5, 1)).toBe(true);
    expect(insidePolygon(notched, 5, 5)).toBe(false);
  });

  it('measures to the nearest line; the last one only where the path is closed', () => {
    const corner = [0, 0, 10, 0, 10, 10];
    expect(distanceToPath(corner, false, 5, 4)).toBe(4);
    expect(distanceToPath(corner, true, 4, 4)).toBe(0);
    expect(distanceToPath([3, 3, 3, 3], false, 3, 5)).toBe(2);
  });
});

describe('maskHas', () => {
  const mask = [1, 2, 3, 10, 20, 12, 21]; // 3 x 2 pixels, the second and the third of the first row

  it('counts rows of the box', () => {
    const found = [20, 21].map((y) => [9, 10, 11, 12, 13].map((x) => maskHas(mask, x + 0.5, y + 0.5)));
    expect(found).toEqual([
      [false, false, true, true, false],
      [false, false, false, false, false],
    ]);
  });
});
