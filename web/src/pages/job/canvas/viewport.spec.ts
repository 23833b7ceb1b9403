import {
  type Angle,
  covers,
  fitBounds,
  fitView,
  inSight,
  MAX_SCALE,
  panBy,
  pinchOf,
  regionOf,
  toImage,
  turnView,
  type View,
  zoomAt,
} from './viewport';

const image = { width: 4000, height: 2000 };
const screen = { width: 1032, height: 832 };

describe('views', () => {
  it('fit the image and centre it', () => {
    expect(fitView(image, screen)).toEqual({ scale: 0.25, angle: 0, x: 16, y: 166 });
    expect(fitView({ width: 2, height: 2 }, screen).scale).toBe(MAX_SCALE);
  });

  it('zoom about the place under the pointer', () => {
    const at = { x: 300, y: 200 };
    const before = fitView(image, screen);
    const after = zoomAt(before, 2, at, image, screen);
    expect(after.scale).toBe(0.5);
    expect(toImage(after, at)).toEqual(toImage(before, at));
  });

  it('zoom within limits', () => {
    const zoomed = (factor: number): number =>
      zoomAt(fitView(image, screen), factor, { x: 1, y: 1 }, image, screen).scale;
    expect(zoomed(1e6)).toBe(MAX_SCALE);
    expect(zoomed(1e-6)).toBe(0.0625);
  });

  it('never lose the image', () => {
    const view = fitView(image, screen);
    expect(panBy(view, 1e5, -1e5, image, screen)).toEqual({ scale: 0.25, angle: 0, x: 984, y: 48 - 500 });
    expect(panBy(view, -1e5, 1e5, image, screen)).toEqual({ scale: 0.25, angle: 0, x: 48 - 1000, y: 784 });
  });

  it('show a part, not closer than asked', () => {
    const view = fitBounds({ left: 100, top: 100, right: 110, bottom: 110 }, screen, { angle: 0, margin: 50, most: 8 });
    expect(view.scale).toBe(8);
    expect(toImage(view, { x: 516, y: 416 })).toEqual({ x: 105, y: 105 });
  });
});

describe('turned views', () => {
  const seen = (view: View) => inSight(view, screen);
  const middle = { x: screen.width / 2, y: screen.height / 2 };
  const part = { left: 1000, top: 500, right: 1400, bottom: 900 };

  it.each<Angle>([0, 90, 180, 270])('fit the image at %i°', (angle) => {
    const view = fitView(image, screen, angle);
    expect(view.scale).toBe(angle % 180 === 0 ? 0.25 : 0.2);
    expect(toImage(view, middle)).toEqual({ x: 2000, y: 1000 });
    const { left, top, right, bottom } = seen(view);
    expect(left <= 0 && top <= 0 && right >= image.width && bottom >= image.height).toBe(true);
  });

  it('show the left edge at the top after a turn to the right', () => {
    const view = fitView(image, screen, 90);
    expect(toImage(view, { x: middle.x, y: 16 }).x).toBeCloseTo(0);
    expect(toImage(view, { x: 0, y: middle.y }).y).toBeGreaterThan(image.height);
  });

  it('keep the centre of the screen, and come back after four turns', () => {
    let view = fitBounds(part, screen, { angle: 0, margin: 50, most: 1 });
    const before = view;
    for (const angle of [90, 180, 270, 0]) {
      view = turnView(view, 90, screen);
      expect(view.angle).toBe(angle);
      expect(toImage(view, middle)).toEqual({ x: 1200, y: 700 });
    }
    expect(view).toEqual(before);
    expect(turnView(turnView(view, -90, screen), 90, screen)).toEqual(before);
  });

  it('zoom about the place under the pointer, and never lose the image', () => {
    const at = { x: 300, y: 200 };
    const before = fitView(image, screen, 270);
    const after = zoomAt(before, 2, at, image, screen);
    expect(toImage(after, at).x).toBeCloseTo(toImage(before, at).x);
    expect(toImage(after, at).y).toBeCloseTo(toImage(before, at).y);
    const far = seen(panBy(before, 1e5, 1e5, image, screen));
    expect(far.left < image.width && far.right > 0 && far.top < image.height && far.bottom > 0).toBe(true);
  });

  it('are painted in the axes of the image', () => {
    const view = fitView(image, screen, 90);
    const region = regionOf(view, screen, 2);
    expect(region).toMatchObject({ angle: 90, width: 2 * (832 + 2 * 166), height: 2 * (1032 + 2 * 206) });
    expect(covers(region, view, screen, 2)).toBe(true);
    expect(covers(region, turnView(view, 90, screen), screen, 2)).toBe(false);
  });
});

describe('pinchOf', () => {
  it('zooms as fingers part, and moves with the middle between them', () => {
    const before = [{ x: 100, y: 100 }, { x: 200, y: 100 }] as const; // prettier-ignore
    expect(pinchOf(before, [{ x: 80, y: 110 }, { x: 280, y: 110 }])).toEqual({ factor: 2, at: { x: 180, y: 110 }, dx: 30, dy: 10 }); // prettier-ignore
    expect(pinchOf(before, before)).toMatchObject({ factor: 1, dx: 0, dy: 0 });
  });

  it('does not zoom by fingers at one place', () => {
    const together = [{ x: 5, y: 5 }, { x: 5, y: 5 }] as const; // prettier-ignore
    expect(
      pinchOf(together, [
        { x: 0, y: 0 },
        { x: 9, y: 9 },
      ]).factor,
    ).toBe(1);
    expect(
      pinchOf(
        [
          { x: 0, y: 0 },
          { x: 9, y: 9 },
        ],
        together,
      ).factor,
    ).toBe(1);
  });
});

describe('paintings', () => {
  const view: View = { scale: 0.5, angle: 0, x: -100, y: -50 };
  const region = regionOf(view, screen, 2);

  it('go beyond the screen, in the pixels of the device', () => {
    expect(region).toMatchObject({ scale: 1, width: 2 * (1032 + 2 * 206), height: 2 * (832 + 2 * 166) });
    expect(region.left).toBe((100 - 206) / 0.5);
  });

  it('serve views nearby, until an edge or another scale is seen', () => {
    const served = (other: Partial<View>): boolean => covers(region, { ...view, ...other }, screen, 2);
    expect([
      served({}),
      served({ x: 90 }),
      served({ x: 120 }),
      served({ scale: 0.9 }),
      served({ scale: 0.25 }),
    ]).toEqual([true, true, false, false, false]);
  });
});
