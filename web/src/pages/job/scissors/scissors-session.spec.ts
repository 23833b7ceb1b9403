import { ScissorsSession, type ReadPixels } from './scissors-session';

const SIZE = { width: 800, height: 600 };
const CENTRE = { x: 400, y: 300 };
const RADIUS = 120;

/** A bright disc. */
const read: ReadPixels = ({ left, top, right, bottom, scale }) => {
  const width = Math.max(1, Math.round((right - left) * scale));
  const height = Math.max(1, Math.round((bottom - top) * scale));
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at += 1) {
    const x = left + ((at % width) + 0.5) / scale;
    const y = top + (Math.floor(at / width) + 0.5) / scale;
    if (Math.hypot(x - CENTRE.x, y - CENTRE.y) > RADIUS) data.fill(30, at * 4, at * 4 + 3);
  }
  return { width, height, data };
};

const onDisc = (degrees: number) => ({
  x: CENTRE.x + RADIUS * Math.cos((degrees * Math.PI) / 180),
  y: CENTRE.y + RADIUS * Math.sin((degrees * Math.PI) / 180),
});

describe('ScissorsSession', () => {
  it.each([1, 0.5])('draws a disc by four clicks at scale %d', (scale) => {
    const session = new ScissorsSession(SIZE, read);
    for (const degrees of [0, 90, 180, 270]) session.click(onDisc(degrees), scale);
    const points = session.finish() ?? [];
    const distances = points.flatMap((x, at) =>
      at % 2 === 0 ? [Math.hypot(x - CENTRE.x, (points[at + 1] ?? 0) - CENTRE.y)] : [],
    );
    expect(distances.length).toBeGreaterThan(10);
    for (const distance of distances) expect(Math.abs(distance - RADIUS)).toBeLessThan(2 / scale);
  });

  it('shows the line up to the pointer, and takes clicks back', () => {
    const session = new ScissorsSession(SIZE, read);
    expect([session.line, session.finish(), session.back()]).toEqual([[], undefined, false]);
    session.click(onDisc(0), 1);
    session.hover(onDisc(60));
    expect(session.line[0]).toEqual(onDisc(0));
    expect(session.line.at(-1)).toEqual(onDisc(60));
    expect(session.line.length).toBeGreaterThan(4);
    session.click(onDisc(60), 1);
    session.click(onDisc(60), 1); // the second click of a double click
    expect(session.count).toBe(2);
    expect([session.back(), session.back(), session.back()]).toEqual([true, true, false]);
  });

  it('goes straight to positions that are farther than its reach', () => {
    const session = new ScissorsSession({ width: 4000, height: 100 }, (box) => ({
      width: box.right - box.left,
      height: box.bottom - box.top,
      data: new Uint8ClampedArray((box.right - box.left) * (box.bottom - box.top) * 4),
    }));
    session.click({ x: 10, y: 50 }, 1);
    session.click({ x: 3000, y: 50 }, 1);
    expect(session.line.at(-1)).toEqual({ x: 3000, y: 50 });
    expect(session.positions).toHaveLength(2);
  });
});
