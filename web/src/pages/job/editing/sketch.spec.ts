import { Sketch } from './sketch';

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
    sketch.click({ x: 10, y: 10 });
    expect(sketch.click({ x: 30, y: 20 })).toEqual([20, 15, 30, 10]);
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
});
