import { edgeCosts, LiveWire, type Pixels } from './live-wire';

/** An image whose pixels are bright or dark. */
function image(width: number, height: number, isBright: (x: number, y: number) => boolean): Pixels {
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at += 1) {
    if (!isBright(at % width, Math.floor(at / width))) data.fill(40, at * 4, at * 4 + 3);
  }
  return { width, height, data };
}

describe('LiveWire', () => {
  it('follows the outline of a disc instead of taking the shortest way', () => {
    const disc = image(100, 100, (x, y) => Math.hypot(x - 50, y - 50) <= 30);
    const path = new LiveWire(disc, { x: 50, y: 20 }).pathTo({ x: 80, y: 50 });
    expect([path[0], path.at(-1)]).toEqual([
      { x: 50, y: 20 },
      { x: 80, y: 50 },
    ]);
    const distances = path.map(({ x, y }) => Math.abs(Math.hypot(x - 50, y - 50) - 30));
    expect(Math.max(...distances)).toBeLessThan(2);
  });

  it('goes around a corner', () => {
    const square = image(60, 60, (x, y) => x >= 20 && y >= 20);
    const path = new LiveWire(square, { x: 20, y: 50 }).pathTo({ x: 50, y: 20 });
    const nearest = Math.min(...path.map(({ x, y }) => Math.hypot(x - 20, y - 20)));
    expect(nearest).toBeLessThan(3);
  });

  it('is a connected line of pixels, also without any edge', () => {
    const path = new LiveWire(
      image(30, 20, () => true),
      { x: 2, y: 3 },
    ).pathTo({ x: 25, y: 9 });
    const steps = path
      .slice(1)
      .map(({ x, y }, at) => Math.max(Math.abs(x - (path[at]?.x ?? 0)), Math.abs(y - (path[at]?.y ?? 0))));
    expect([steps.length, new Set(steps)]).toEqual([23, new Set([1])]);
  });

  it('ends at the border for positions outside', () => {
    const wire = new LiveWire(
      image(10, 10, () => true),
      { x: 5, y: 5 },
    );
    expect(wire.pathTo({ x: 40, y: -3 }).at(-1)).toEqual({ x: 9, y: 0 });
    expect(wire.pathTo({ x: 5, y: 5 })).toEqual([{ x: 5, y: 5 }]);
  });

  it('lets weaker edges count', () => {
    const pixels = image(30, 10, (x) => x > 20);
    for (let at = 0; at < 300; at += 1) if (at % 30 < 10) pixels.data.fill(60, at * 4, at * 4 + 3);
    const costs = edgeCosts(pixels);
    const [none, weak, strong] = [costs[5 * 30 + 5], costs[5 * 30 + 10], costs[5 * 30 + 20]];
    expect([none, strong]).toEqual([64, 1]);
    expect(weak).toBeLessThan(50);
  });
});
