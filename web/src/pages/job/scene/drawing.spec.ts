import { boundsOf, type Drawing, drawingsOf, maskPixels, rectangleCorners } from './drawing';

const shape = (type: Parameters<typeof drawingsOf>[0]['type'], points: number[], rotation = 0): Drawing[] =>
  drawingsOf({ type, points, rotation });

const rounded = (numbers: readonly number[]): number[] => numbers.map((value) => Math.round(value * 1000) / 1000 + 0);

describe('drawingsOf', () => {
  it('turns a rectangle clockwise about its centre', () => {
    expect(rectangleCorners([0, 0, 4, 2], 0)).toEqual([0, 0, 4, 0, 4, 2, 0, 2]);
    expect(rounded(rectangleCorners([0, 0, 4, 2], 90))).toEqual([3, -1, 3, 3, 1, 3, 1, -1]);
  });

  it('reads an ellipse from its centre, right end and top', () => {
    expect(shape('ellipse', [10, 20, 15, 12], 180)).toEqual([
      { kind: 'ellipse', cx: 10, cy: 20, rx: 5, ry: 8, angle: Math.PI },
    ]);
  });

  it('closes polygons, not polylines', () => {
    expect(shape('polygon', [0, 0, 1, 0, 1, 1])).toMatchObject([{ closed: true, filled: true }]);
    expect(shape('polyline', [0, 0, 1, 0])).toMatchObject([{ closed: false, filled: false }]);
  });

  it('joins the corners of a cuboid without crossing, from whichever side its back is numbered', () => {
    const front = [0, 0, 0, 10, 10, 0, 10, 10];
    const leftFirst = [3, -3, 3, 7, 13, -3, 13, 7];
    const rightFirst = [13, -3, 13, 7, 3, -3, 3, 7];
    const edges = (points: number[]): string[] =>
      shape('cuboid', points)
        .flatMap((drawing) => (drawing.kind === 'path' && !drawing.closed ? [drawing.points.join(' ')] : []))
        .sort();
    const expected = ['0 0 3 -3', '0 10 3 7', '10 0 13 -3', '10 10 13 7'];
    expect(edges([...front, ...leftFirst])).toEqual(expected);
    expect(edges([...front, ...rightFirst])).toEqual(expected);
  });

  it('draws skeletons by their elements alone', () => expect(shape('skeleton', [])).toEqual([]));
});

describe('boundsOf', () => {
  it('goes round a turned ellipse', () => {
    const bounds = boundsOf(shape('ellipse', [0, 0, 10, -2], 90));
    expect(rounded(Object.values(bounds ?? {}))).toEqual([-2, -10, 2, 10]);
  });

  it('has the last pixels of a mask within', () => {
    expect(boundsOf(shape('mask', [0, 4, 2, 3, 3, 4]))).toEqual({ left: 2, top: 3, right: 4, bottom: 5 });
  });

  it('is nothing around nothing', () => expect(boundsOf([])).toBeUndefined());
});

describe('maskPixels', () => {
  it('colours the foreground and leaves the rest transparent', () => {
    const mask = maskPixels([1, 2, 1, 5, 7, 6, 8], { width: 100, height: 100 }, 0x102030);
    expect(mask).toMatchObject({ left: 5, top: 7, width: 2, height: 2 });
    const [none, colour] = [
      [0, 0, 0, 0],
      [0x10, 0x20, 0x30, 255],
    ];
    expect([...(mask?.rgba ?? [])]).toEqual([none, colour, colour, none].flat());
  });

  it('returns nothing for a shape outside the image', () => {
    expect(maskPixels([0, 4, -2, 0, 1, 0], { width: 10, height: 10 }, 0)).toMatchObject({ left: 0, width: 2 });
    expect(maskPixels([0, 1, 50, 50, 50, 50], { width: 10, height: 10 }, 0)).toBeUndefined();
  });
});
