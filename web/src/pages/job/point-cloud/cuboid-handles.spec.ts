import { describe, expect, it } from '@jest/globals';
import { Vector3 } from 'three';
import { cuboidOf, pointsOf, cornerPoint } from './cuboid';
import { dragged, handlesOf } from './cuboid-handles';
import { OrbitCamera, PlaneCamera } from './view-camera';

const CAR = cuboidOf([5, 1, 0.8, 0, 0, 0.4, 4, 1.8, 1.6]);
const SCREEN = { width: 800, height: 500 };

function perspective(): OrbitCamera {
  const view = new OrbitCamera();
  view.setScreen(SCREEN);
  view.orbitBy(120, 60);
  view.lookAt(CAR.centre, 12);
  return view;
}

function above(reach: number): PlaneCamera {
  const view = new PlaneCamera('top');
  view.setScreen(SCREEN);
  view.lookAt(CAR.centre, reach, 0, 5);
  return view;
}

const handleOf = (view: OrbitCamera | PlaneCamera, signs: readonly number[] | undefined) => {
  const found = handlesOf(CAR, view).find((handle) => String(handle.signs) === String(signs));
  if (found === undefined) throw new Error('there is no such handle');
  return found;
};

describe('the handles of a cuboid', () => {
  it('are its sides and corners from above, and its faces in perspective', () => {
    expect(handlesOf(CAR, above(10))).toHaveLength(9);
    expect(handlesOf(CAR, perspective())).toHaveLength(7);
  });

  it('are absent where the cuboid appears small', () => {
    expect(handlesOf(CAR, above(200))).toEqual([]);
  });

  it('move a face along its axis in perspective, and the opposite face stays', () => {
    const view = perspective();
    const handle = handleOf(view, [0, 0, 1]);
    const target = view.project(cornerPoint(CAR, [0, 0, 1]).add(new Vector3(0, 0, 0.5)));
    const after = dragged(CAR, view, handle, handle.at, target ?? handle.at, false);
    expect(after.size.z).toBeCloseTo(2.1);
    expect(cornerPoint(after, [0, 0, -1]).distanceTo(cornerPoint(CAR, [0, 0, -1]))).toBeCloseTo(0);
    expect(pointsOf(after).slice(3, 8)).toEqual(pointsOf(CAR).slice(3, 8));
  });

  it('turn a cuboid about its vertical axis in perspective, in steps if wanted', () => {
    const view = perspective();
    const from = view.project(cornerPoint(CAR, [1, 0, 0]));
    const angle = 0.9;
    const to = view.project(
      CAR.centre.clone().add(new Vector3(Math.cos(0.4 + angle), Math.sin(0.4 + angle), 0).multiplyScalar(2)),
    );
    if (from === undefined || to === undefined) throw new Error('the front is not visible');
    const turned = dragged(CAR, view, handleOf(view, undefined), from, to, false);
    expect(pointsOf(turned)[5]).toBeCloseTo(0.4 + angle, 4);
    const snapped = dragged(CAR, view, handleOf(view, undefined), from, to, true);
    expect(pointsOf(snapped)[5]).toBeCloseTo((Math.PI / 12) * 5, 4);
    expect(pointsOf(snapped).slice(0, 3)).toEqual(pointsOf(CAR).slice(0, 3));
  });
});
