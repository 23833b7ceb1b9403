import { type Point, roundCoordinate, type Size } from '#shared/annotations/editing/geometry';
import { simplifiedLine, simplifiedOutline } from '../editing/simplify';
import { LiveWire, type Pixels } from './live-wire';

/** Reads a part of the image. */
export type ReadPixels = (box: {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Pixels of the result per pixel of the image. */
  readonly scale: number;
}) => Pixels;

/** How far paths reach from an anchor, in pixels of the part that is read. It bounds the time that a click takes. */
const REACH = 256;
/** How far the polygon may be from the path, in pixels of the part that is read. */
const TOLERANCE = 0.7;

/** The paths from an anchor. */
interface Wire {
  readonly live: LiveWire;
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/** A polygon that is drawn by clicks near to the outline of an object. Between two clicks it follows edges of the image. */
export class ScissorsSession {
  private readonly anchors: Point[] = [];
  /** The path that leads to each anchor from the one before. */
  private readonly paths: Point[][] = [];
  private readonly wires: Wire[] = [];
  private pointer: Point | undefined;

  constructor(
    private readonly image: Size,
    private readonly read: ReadPixels,
  ) {}

  /** @param scale screen pixels per pixel of the image: at a larger scale, paths are finer but shorter */
  click(at: Point, scale: number): void {
    const inside = this.inImage(at);
    const last = this.anchors.at(-1);
    if (last !== undefined) {
      if (Math.hypot(inside.x - last.x, inside.y - last.y) < 1 / scale) return; // the second click of a double click
      this.paths.push(this.pathTo(inside));
    }
    this.anchors.push(inside);
    this.wires.push(this.wireFrom(inside, scale));
  }

  hover(at: Point | undefined): void {
    this.pointer = at && this.inImage(at);
  }

  /** Removes the last anchor. @returns false if there is none */
  back(): boolean {
    this.paths.pop();
    this.wires.pop();
    return this.anchors.pop() !== undefined;
  }

  get count(): number {
    return this.anchors.length;
  }

  get positions(): readonly Point[] {
    return this.anchors;
  }

  /** The line up to the pointer. */
  get line(): readonly Point[] {
    const [first] = this.anchors;
    if (first === undefined) return [];
    const ahead = this.pointer === undefined ? [] : this.pathTo(this.pointer);
    return [first, ...this.paths.flat(), ...ahead];
  }

  /** The closed polygon; undefined if it has no area yet. */
  finish(): number[] | undefined {
    const [first] = this.anchors;
    if (first === undefined || this.anchors.length < 2) return undefined;
    const tolerance = TOLERANCE / (this.wires.at(-1)?.scale ?? 1);
    const outline = [first, ...this.paths.flat(), ...this.pathTo(first).slice(0, -1)];
    const points = simplifiedOutline(
      outline.flatMap(({ x, y }) => [x, y]),
      tolerance,
    ).map(roundCoordinate);
    return points.length < 6 ? undefined : points;
  }

  /** The path from the last anchor, without the anchor. It ends exactly at the target. */
  private pathTo(target: Point): Point[] {
    const wire = this.wires.at(-1);
    if (wire === undefined) return [target];
    const { live, left, top, scale } = wire;
    const inImage = ({ x, y }: Point): Point => ({ x: left + (x + 0.5) / scale, y: top + (y + 0.5) / scale });
    const path = live.pathTo({ x: (target.x - left) * scale, y: (target.y - top) * scale }).map(inImage);
    return simplifiedLine([...path.slice(1, -1), target], TOLERANCE / 2 / scale);
  }

  private wireFrom(anchor: Point, screenScale: number): Wire {
    const scale = Math.min(1, screenScale);
    const reach = REACH / scale;
    const left = Math.max(0, Math.floor(anchor.x - reach));
    const top = Math.max(0, Math.floor(anchor.y - reach));
    const right = Math.min(this.image.width, Math.ceil(anchor.x + reach));
    const bottom = Math.min(this.image.height, Math.ceil(anchor.y + reach));
    const pixels = this.read({ left, top, right, bottom, scale });
    const seed = { x: (anchor.x - left) * scale, y: (anchor.y - top) * scale };
    return { live: new LiveWire(pixels, seed), left, top, scale };
  }

  private inImage({ x, y }: Point): Point {
    const { width, height } = this.image;
    return { x: Math.max(0, Math.min(width, x)), y: Math.max(0, Math.min(height, y)) };
  }
}
