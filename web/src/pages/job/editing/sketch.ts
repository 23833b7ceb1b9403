import {
  cuboidFrom,
  ellipseInBox,
  orderedBox,
  type Point,
  roundCoordinate,
  type Size,
} from '#shared/annotations/editing/geometry';
import type { ShapeType } from '#shared/annotations/model';

/** The types of shapes that the user draws by their vertices. */
export const SKETCHED_TYPES = [
  'rectangle',
  'ellipse',
  'polygon',
  'polyline',
  'points',
  'cuboid',
  'skeleton',
] as const satisfies readonly ShapeType[];
export type SketchedType = (typeof SKETCHED_TYPES)[number];

/** The types of shapes that the user can draw. Masks are painted. */
export const DRAWN_TYPES = [...SKETCHED_TYPES, 'mask'] as const;
export type DrawnType = (typeof DRAWN_TYPES)[number];

/** The kinds that are drawn as a box. */
const BOXES: ReadonlySet<SketchedType> = new Set(['rectangle', 'ellipse', 'cuboid', 'skeleton']);
export const MIN_VERTICES = {
  rectangle: 2,
  ellipse: 2,
  cuboid: 2,
  skeleton: 2,
  polygon: 3,
  polyline: 2,
  points: 1,
} as const;
/** Whether a type is drawn vertex by vertex, as many as the user wants. */
export const hasVertices = (type: SketchedType): boolean => !BOXES.has(type);
/** A box smaller than this, in image pixels, was drawn by accident. */
const MIN_SIDE = 1;
/** Two vertices nearer than this, in image pixels, count as one, because a double click would add two. */
const SAME = 0.5;

/** A shape while it is drawn. A box has two corners. Any other type has vertices, the last of which follows the pointer. */
export class Sketch {
  private readonly vertices: Point[] = [];
  private pointer: Point | undefined;

  constructor(
    readonly type: SketchedType,
    private readonly image: Size,
    /** The number of vertices that completes the shape. */
    private readonly limit?: number,
  ) {}

  get isEmpty(): boolean {
    return this.vertices.length === 0;
  }

  /** The last vertex. */
  get last(): Point | undefined {
    return this.vertices.at(-1);
  }

  /** Moves the vertex that follows the pointer. */
  moveTo(at: Point): void {
    this.pointer = this.limited(at);
  }

  /** Adds a vertex. @returns the points if the shape is complete */
  click(at: Point): number[] | undefined {
    const point = this.limited(at);
    this.pointer = point;
    const { last } = this;
    if (last !== undefined && Math.hypot(point.x - last.x, point.y - last.y) < SAME) return undefined;
    this.vertices.push(point);
    return this.vertices.length === (this.isBox ? 2 : this.limit) ? this.finish() : undefined;
  }

  /** Removes the last vertex. */
  back(): void {
    this.vertices.pop();
  }

  /** @returns the points of the finished shape, or undefined if it has too few vertices or is too small */
  finish(): number[] | undefined {
    if (this.vertices.length < MIN_VERTICES[this.type]) return undefined;
    if (!this.isBox) return flat(this.vertices);
    const [left = 0, top = 0, right = 0, bottom = 0] = this.box() ?? [];
    if (right - left >= MIN_SIDE && bottom - top >= MIN_SIDE) return this.pointsIn([left, top, right, bottom]);
    this.vertices.pop();
    return undefined;
  }

  /** The shape to show while it is drawn: the points so far, and the one under the pointer. */
  get preview(): { readonly type: SketchedType; readonly points: number[] } | undefined {
    const { type } = this;
    if (this.isEmpty) return undefined;
    if (this.isBox) {
      const box = this.box();
      return box && { type, points: this.pointsIn(box) };
    }
    const followed = this.pointer === undefined || type === 'points' ? [] : [this.pointer];
    return { type, points: flat([...this.vertices, ...followed]) };
  }

  private get isBox(): boolean {
    return BOXES.has(this.type);
  }

  private pointsIn(box: number[]): number[] {
    if (this.type === 'ellipse') return ellipseInBox(box);
    return this.type === 'cuboid' ? cuboidFrom(box, this.image) : box;
  }

  private box(): number[] | undefined {
    const [first, second = this.pointer] = this.vertices;
    return first && second && orderedBox([first.x, first.y, second.x, second.y]);
  }

  /** Shapes are drawn within the image. */
  private limited({ x, y }: Point): Point {
    const within = (value: number, most: number): number => roundCoordinate(Math.max(0, Math.min(most, value)));
    return { x: within(x, this.image.width), y: within(y, this.image.height) };
  }
}

const flat = (points: readonly Point[]): number[] => points.flatMap(({ x, y }) => [x, y]);
