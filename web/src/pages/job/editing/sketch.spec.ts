import { CUBOID_POINTS } from './image-cuboid';
import { EXTREME_POINTS, Sketch } from './sketch';

const IMAGE = { width: 100, height: 80 };

describe('Sketch', () => {
  it('makes a box of two clicks in any order, within the image', () => {
    const sketch = new Sketch('rectangle', IMAGE);
    expect(sketch.preview).toBeUndefined();
    expect(sketch.click({ x: 50, y: 40 })).toBeUndefined();
    sketch.moveTo({ x: 60, y: 45 });
    expect(sketch.preview?.points).toEqual([50, 40, 60, 45]);
    expect(sketch.click({ x: -20, y: 200 })).toEqual([0, 40, 50, 80]);
  });

  it('makes an ellipse in a box', () => {
    const sketch = new Sketch('ellipse', IMAGE);
    sketch.startDrag({ x: 10, y: 10 });
    expect(sketch.click({ x: 30, y: 20 })).toEqual([20, 15, 30, 10]);
  });

  it('makes an ellipse of its centre and a corner of the box around it', () => {
    const sketch = new Sketch('ellipse', IMAGE);
    sketch.click({ x: 50, y: 40 });
    sketch.moveTo({ x: 45, y: 50 });
    expect(sketch.preview?.points).toEqual([50, 40, 55, 30]);
    expect(sketch.click({ x: 70, y: 50 })).toEqual([50, 40, 70, 30]);
  });

  it('makes a cuboid of four points', () => {
    const sketch = new Sketch('cuboid', IMAGE, CUBOID_POINTS);
    for (const [x, y] of [
      [10, 20],
      [10, 60],
      [50, 60],
    ] as const)
      expect(sketch.click({ x, y })).toBeUndefined();
    const front = [10, 20, 10, 60, 50, 20, 50, 60];
    expect(sketch.click({ x: 60, y: 55 })).toEqual([...front, 60, 15, 60, 55, 20, 15, 20, 55]);
  });

  it('does not complete a box without an area', () => {
    const sketch = new Sketch('rectangle', IMAGE);
    sketch.click({ x: 10, y: 10 });
    expect(sketch.click({ x: 10.2, y: 30 })).toBeUndefined();
    expect(sketch.click({ x: 20, y: 30 })).toEqual([10, 10, 20, 30]);
  });

  it('completes an outline that has enough vertices, and counts a double click once', () => {
    const sketch = new Sketch('polygon', IMAGE);
    for (const at of [1, 20]) sketch.click({ x: at, y: at });
    expect(sketch.finish()).toBeUndefined();
    for (let times = 0; times < 2; times += 1) sketch.click({ x: 1, y: 30 });
    expect(sketch.finish()).toEqual([1, 1, 20, 20, 1, 30]);
  });

  it('completes an outline with a fixed number of vertices', () => {
    const sketch = new Sketch('polyline', IMAGE, 3);
    for (const at of [1, 20]) expect(sketch.click({ x: at, y: at })).toBeUndefined();
    expect(sketch.click({ x: 30, y: 5 })).toEqual([1, 1, 20, 20, 30, 5]);
  });

  it('removes the last vertex', () => {
    const sketch = new Sketch('polyline', IMAGE);
    for (const at of [1, 20, 40]) sketch.click({ x: at, y: at });
    sketch.back();
    expect(sketch.finish()).toEqual([1, 1, 20, 20]);
    for (let times = 0; times < 3; times += 1) sketch.back();
    expect(sketch.isEmpty).toBe(true);
  });

  it('makes a box of four extreme points', () => {
    const sketch = new Sketch('rectangle', IMAGE, EXTREME_POINTS);
    for (const [x, y] of [
      [50, 10],
      [20, 40],
      [45, 70],
    ] as const) {
      expect(sketch.click({ x, y })).toBeUndefined();
    }
    sketch.moveTo({ x: 60, y: 30 });
    expect(sketch.preview?.points).toEqual([20, 10, 60, 70]);
    expect(sketch.click({ x: 80, y: 30 })).toEqual([20, 10, 80, 70]);
  });

  it('keeps only the vertices of a freehand line that it needs, and the clicked ones', () => {
    const sketch = new Sketch('polyline', IMAGE);
    sketch.click({ x: 0, y: 0 });
    for (let x = 1; x <= 40; x += 1) sketch.drawTo({ x, y: x % 2 === 0 ? 0 : 0.4 }, 1);
    for (let y = 1; y <= 30; y += 1) sketch.drawTo({ x: 40, y }, 1);
    sketch.click({ x: 60, y: 30 });
    sketch.click({ x: 80, y: 30 });
    expect(sketch.finish()).toEqual([0, 0, 40, 0, 40, 30, 60, 30, 80, 30]);
  });

  it('does not draw boxes freehand', () => {
    const sketch = new Sketch('rectangle', IMAGE);
    sketch.click({ x: 10, y: 10 });
    for (let at = 11; at < 40; at += 1) sketch.drawTo({ x: at, y: at }, 1);
    expect(sketch.click({ x: 40, y: 40 })).toEqual([10, 10, 40, 40]);
  });
});
