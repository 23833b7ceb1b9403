import { Matrix4, OrthographicCamera, PerspectiveCamera, Plane, Ray, Vector3 } from 'three';
import type { Point } from '#shared/annotations/editing/geometry';
import type { Size } from '../canvas/viewport';

/** A box in space. */
export interface Extent {
  readonly min: Vector3;
  readonly max: Vector3;
}

/** The camera of one view. Positions on the screen are in pixels from the top left corner of the view. */
export abstract class ViewCamera {
  abstract readonly camera: PerspectiveCamera | OrthographicCamera;
  protected screen: Size = { width: 1, height: 1 };

  setScreen(screen: Size): void {
    this.screen = screen;
    this.update();
  }

  get size(): Size {
    return this.screen;
  }

  /** The direction in which the camera looks. */
  get direction(): Vector3 {
    return this.camera.getWorldDirection(new Vector3());
  }

  /**
   * How something moves in space while the pointer drags it.
   * @param from where the pointer started on the screen
   * @param at where it grabbed the thing in space
   * @returns the movement after the pointer has moved to a position
   */
  abstract movementFrom(from: Point, at: Vector3): (to: Point) => Vector3;
  /** Moves the scene. @param dx, dy in pixels */
  abstract panBy(dx: number, dy: number): void;
  /** Zooms in by a factor, so that what is at a position stays there. */
  abstract zoomAt(factor: number, at: Point): void;
  abstract fit(extent: Extent): void;
  protected abstract update(): void;

  zoomBy(factor: number): void {
    this.zoomAt(factor, { x: this.screen.width / 2, y: this.screen.height / 2 });
  }

  /** The line of sight through a position on the screen. */
  ray(at: Point): Ray {
    const { width, height } = this.screen;
    const [x, y] = [(at.x / width) * 2 - 1, 1 - (at.y / height) * 2];
    const origin = new Vector3(x, y, -1).unproject(this.camera);
    const direction = new Vector3(x, y, 1).unproject(this.camera).sub(origin).normalize();
    return new Ray(origin, direction);
  }

  /** @returns the position on the screen, or undefined behind the camera */
  project(position: Vector3): Point | undefined {
    const seen = position.clone().applyMatrix4(this.camera.matrixWorldInverse);
    if (this.camera instanceof PerspectiveCamera && seen.z > -this.camera.near) return undefined;
    return this.toScreen(seen);
  }

  /** A line on the screen, without its part behind the camera. */
  projectLine(from: Vector3, to: Vector3): readonly [Point, Point] | undefined {
    const [a, b] = [from, to].map((end) => end.clone().applyMatrix4(this.camera.matrixWorldInverse)) as [
      Vector3,
      Vector3,
    ];
    if (this.camera instanceof PerspectiveCamera) {
      const limit = -this.camera.near;
      if (a.z > limit && b.z > limit) return undefined;
      const cut = a.clone().lerp(b, (limit - a.z) / (b.z - a.z));
      if (a.z > limit) a.copy(cut);
      if (b.z > limit) b.copy(cut);
    }
    return [this.toScreen(a), this.toScreen(b)];
  }

  private toScreen(seen: Vector3): Point {
    const { x, y } = seen.applyMatrix4(this.camera.projectionMatrix);
    return { x: ((x + 1) / 2) * this.screen.width, y: ((1 - y) / 2) * this.screen.height };
  }
}

const VIEW_ANGLE = 50;
const MAX_ELEVATION = (89 / 180) * Math.PI;
const MIN_DISTANCE = 0.3;
const MAX_DISTANCE = 20_000;
const RADIANS_PER_PIXEL = 0.006;

/** A camera that turns around a point and looks at it from above. */
export class OrbitCamera extends ViewCamera {
  readonly camera = new PerspectiveCamera(VIEW_ANGLE);
  readonly target = new Vector3();
  private distance = 30;
  private azimuth = Math.PI;
  private elevation = Math.PI / 6;

  orbitBy(dx: number, dy: number): void {
    this.azimuth -= dx * RADIANS_PER_PIXEL;
    this.elevation = Math.max(-MAX_ELEVATION, Math.min(MAX_ELEVATION, this.elevation + dy * RADIANS_PER_PIXEL));
    this.update();
  }

  panBy(dx: number, dy: number): void {
    const perPixel = (2 * this.distance * Math.tan((VIEW_ANGLE / 360) * Math.PI)) / this.screen.height;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * perPixel).addScaledVector(up, dy * perPixel);
    this.update();
  }

  /** Things stay at their height. */
  movementFrom(_from: Point, at: Vector3): (to: Point) => Vector3 {
    const level = new Plane(new Vector3(0, 0, 1), -at.z);
    let last = new Vector3();
    return (to) => {
      // Above the horizon, the pointer is over nothing.
      const under = this.ray(to).intersectPlane(level, new Vector3());
      if (under !== null) last = under.sub(at);
      return last;
    };
  }

  zoomAt(factor: number, at: Point): void {
    const distance = Math.max(MIN_DISTANCE, Math.min(MAX_DISTANCE, this.distance / factor));
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.direction, this.target);
    const seen = this.ray(at).intersectPlane(plane, new Vector3());
    if (seen !== null) this.target.lerp(seen, 1 - distance / this.distance);
    this.distance = distance;
    this.update();
  }

  shows(position: Vector3): boolean {
    const at = this.project(position);
    return at !== undefined && at.x >= 0 && at.y >= 0 && at.x <= this.screen.width && at.y <= this.screen.height;
  }

  /** Looks at a position without turning. @param distance in metres */
  lookAt(target: Vector3, distance = this.distance): void {
    this.target.copy(target);
    this.distance = Math.max(MIN_DISTANCE, Math.min(MAX_DISTANCE, distance));
    this.update();
  }

  /** Shows a box from behind and above. */
  fit({ min, max }: Extent): void {
    this.target.addVectors(min, max).multiplyScalar(0.5);
    const radius = Math.max(min.distanceTo(max) / 2, 1);
    this.distance = Math.min(MAX_DISTANCE, (radius / Math.sin((VIEW_ANGLE / 360) * Math.PI)) * 0.7);
    [this.azimuth, this.elevation] = [Math.PI, Math.PI / 6];
    this.update();
  }

  protected update(): void {
    const { camera, target, distance, azimuth, elevation } = this;
    const across = Math.cos(elevation) * distance;
    camera.up.set(0, 0, 1);
    camera.position
      .set(Math.cos(azimuth) * across, Math.sin(azimuth) * across, Math.sin(elevation) * distance)
      .add(target);
    camera.near = Math.max(0.05, distance / 500);
    camera.far = distance + MAX_DISTANCE;
    camera.aspect = this.screen.width / this.screen.height;
    camera.updateProjectionMatrix();
    camera.lookAt(target);
    camera.updateMatrixWorld();
  }
}

export type Side = 'top' | 'side' | 'front';

/** Towards the right and the top of the screen, for a heading of 0. The camera looks along their cross product, reversed. */
const SIDES: Readonly<Record<Side, readonly [right: Vector3, up: Vector3]>> = {
  top: [new Vector3(0, -1, 0), new Vector3(1, 0, 0)],
  side: [new Vector3(1, 0, 0), new Vector3(0, 0, 1)],
  front: [new Vector3(0, 1, 0), new Vector3(0, 0, 1)],
};
const UP = new Vector3(0, 0, 1);
/** Larger than any scene: the depth of a view that shows everything. */
const EVERYTHING = 20_000;
const MIN_SCALE = 0.05;
const MAX_SCALE = 5000;

/** A camera without perspective that looks along an axis. */
export class PlaneCamera extends ViewCamera {
  readonly camera = new OrthographicCamera();
  private readonly centre = new Vector3();
  /** Pixels per metre. */
  private scale = 10;
  private heading = 0;
  /** Half the depth of what is visible, in metres. */
  private depth = EVERYTHING;

  constructor(readonly side: Side) {
    super();
  }

  panBy(dx: number, dy: number): void {
    const [right, up] = this.axes();
    this.centre.addScaledVector(right, -dx / this.scale).addScaledVector(up, dy / this.scale);
    this.update();
  }

  zoomAt(factor: number, at: Point): void {
    const scale = Math.max(MIN_SCALE, Math.min(MAX_SCALE, this.scale * factor));
    const { width, height } = this.screen;
    const [dx, dy] = [at.x - width / 2, at.y - height / 2];
    const [right, up] = this.axes();
    const change = 1 / this.scale - 1 / scale;
    this.centre.addScaledVector(right, dx * change).addScaledVector(up, -dy * change);
    this.scale = scale;
    this.update();
  }

  /** Shows a box and everything in front of and behind it. */
  fit({ min, max }: Extent): void {
    this.heading = 0;
    this.depth = EVERYTHING;
    this.centre.addVectors(min, max).multiplyScalar(0.5);
    const size = new Vector3().subVectors(max, min);
    const [right, up] = this.axes();
    const [across, along] = [Math.abs(size.dot(right)), Math.abs(size.dot(up))];
    this.scale = Math.min(this.screen.width / Math.max(across, 1), this.screen.height / Math.max(along, 1)) * 0.95;
    this.update();
  }

  /**
   * Looks at an object from its own side, and hides what is far in front of it or behind it.
   * @param reach the size of what to show, in metres
   * @param heading of the object, in radians
   * @param depth half the depth to show, in metres
   */
  lookAt(centre: Vector3, reach: number, heading: number, depth: number): void {
    this.centre.copy(centre);
    this.heading = this.side === 'top' ? 0 : heading;
    this.depth = depth;
    this.scale = Math.min(this.screen.width, this.screen.height) / reach;
    this.update();
  }

  /** Follows an object to another position without zooming. */
  follow(centre: Vector3, heading: number): void {
    this.centre.copy(centre);
    this.heading = this.side === 'top' ? 0 : heading;
    this.update();
  }

  movementFrom(from: Point): (to: Point) => Vector3 {
    return (to) => this.movement(to.x - from.x, to.y - from.y);
  }

  /** The movement in space of a movement on the screen. */
  movement(dx: number, dy: number): Vector3 {
    const [right, up] = this.axes();
    return new Vector3().addScaledVector(right, dx / this.scale).addScaledVector(up, -dy / this.scale);
  }

  private axes(): [right: Vector3, up: Vector3] {
    const [right, up] = SIDES[this.side];
    return [right.clone().applyAxisAngle(UP, this.heading), up.clone().applyAxisAngle(UP, this.heading)];
  }

  protected update(): void {
    const { camera, centre, scale, depth } = this;
    const [right, up] = this.axes();
    const towards = new Vector3().crossVectors(right, up);
    camera.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(right, up, towards));
    camera.position.copy(centre).addScaledVector(towards, depth);
    camera.near = 0;
    camera.far = depth * 2;
    const [across, along] = [this.screen.width / scale / 2, this.screen.height / scale / 2];
    [camera.left, camera.right, camera.top, camera.bottom] = [-across, across, along, -along];
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
