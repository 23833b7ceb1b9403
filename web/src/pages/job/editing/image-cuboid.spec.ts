import {
  cuboidByPoints,
  cuboidHandles,
  cuboidSketch,
  withCuboidHandleAt,
  withOtherSide,
  withoutPerspective,
} from './image-cuboid';

/** Front 10..50 × 20..60, back 10 to the right and 5 up. */
const CUBOID = [10, 20, 10, 60, 50, 20, 50, 60, 60, 15, 60, 55, 20, 15, 20, 55];
const at = (x: number, y: number) => ({ x, y });

describe('a cuboid in an image', () => {
  it('is drawn by three corners of its front and one of its back, in any direction', () => {
    const back = at(60, 55);
    expect(cuboidByPoints([at(10, 20), at(10, 60), at(50, 60), back])).toEqual(CUBOID);
    expect(cuboidByPoints([at(50, 20), at(10, 20), at(10, 60), at(20, 55)])).toEqual(CUBOID);
  });

  it('is shown as far as it is drawn', () => {
    const clicks = [at(10, 20), at(10, 60), at(50, 60), at(60, 55)];
    expect(cuboidSketch(clicks.slice(0, 2))).toEqual({ type: 'polyline', points: [10, 20, 10, 60] });
    expect(cuboidSketch(clicks.slice(0, 3)).points).toEqual([10, 20, 10, 60, 50, 60, 50, 20, 10, 20]);
    expect(cuboidSketch(clicks)).toEqual({ type: 'cuboid', points: CUBOID });
  });

  it('has handles at its corners and in the middle of the sides of its front', () => {
    expect(cuboidHandles(CUBOID).slice(16)).toEqual([10, 40, 50, 40, 30, 20, 30, 60]);
  });

  it('keeps its depth when a corner or a side of its front is dragged', () => {
    const resized = [10, 25, 10, 60, 55, 25, 55, 60, 65, 20, 65, 55, 20, 20, 20, 55];
    expect(withCuboidHandleAt(CUBOID, 2, at(55, 25), false)).toEqual(resized);
    const wider = [10, 20, 10, 60, 70, 20, 70, 60, 80, 15, 80, 55, 20, 15, 20, 55];
    expect(withCuboidHandleAt(CUBOID, 9, at(70, 0), false)).toEqual(wider);
  });

  it('changes its depth with its back, and its perspective with a single corner', () => {
    const deeper = [...CUBOID.slice(0, 8), 70, 10, 70, 50, 30, 10, 30, 50];
    expect(withCuboidHandleAt(CUBOID, 4, at(70, 10), false)).toEqual(deeper);
    const bent = CUBOID.with(8, 58).with(9, 18);
    expect(withCuboidHandleAt(CUBOID, 4, at(58, 18), true)).toEqual(bent);
  });

  it('is shown from the other side and back', () => {
    const other = withOtherSide(CUBOID);
    expect(other).toEqual([...CUBOID.slice(0, 8), 40, 15, 40, 55, 0, 15, 0, 55]);
    expect(withOtherSide(other)).toEqual(CUBOID);
  });

  it('loses its perspective', () => {
    const bent = CUBOID.with(8, 58).with(9, 19).with(1, 22);
    const reset = withoutPerspective(bent);
    expect(reset.slice(0, 8)).toEqual(CUBOID.slice(0, 8));
    const [dx, dy] = [(reset[8] ?? 0) - 50, (reset[9] ?? 0) - 20];
    expect(reset.slice(8)).toEqual([50 + dx, 20 + dy, 50 + dx, 60 + dy, 10 + dx, 20 + dy, 10 + dx, 60 + dy]);
    expect(withoutPerspective(CUBOID)).toEqual(CUBOID);
  });
});
