import { cuboidFrom, ellipseInBox, type Point, roundCoordinate, type Size } from '#shared/annotations/editing/geometry';
import type { ShapeType } from '#shared/annotations/model';
import { CUBOID_POINTS, cuboidByPoints, cuboidSketch } from './image-cuboid';
import { simplifiedLine } from './simplify';

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
export const BOXES: ReadonlySet<ShapeType> = new Set(['rectangle', 'ellipse', 'cuboid', 'skeleton']);
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
export const hasVertices = (type: DrawnType): type is 'polygon' | 'polyline' | 'points' =>
  type === 'polygon' || type === 'polyline' || type === 'points';
/** A box smaller than this, in image pixels, was drawn by accident. */
const MIN_SIDE = 1;
/** The number of extreme points that define a box. */
export const EXTREME_POINTS = 4;
/** Distance between vertices drawn freehand, and how far the simpler line may be from them, in screen pixels. */
const FREEHAND_STEP = 2;
const FREEHAND_TOLERANCE = 1;
/** Distance between points drawn freehand, which are not simplified, in screen pixels. */
const POINTS_STEP = 12;
/** Two vertices nearer than this, in image pixels, count as one, because a double click would add two. */
const SAME = 0.5;

/**
 * A shape while it is drawn. A box has two corners, or four extreme points; an ellipse has a centre and a corner of the box
 * around it, unless the box is dragged. Any other type has vertices, the last of which follows the pointer.
 */
export class Sketch {
  private readonly vertices: Point[] = [];
  private pointer: Point | undefined;
  /** The line that is being drawn freehand: its first vertex, and its tolerance in pixels of the image. */
  private isDragged = false;
  private freehand: { readonly from: number; readonly tolerance: number } | undefined;

  constructor(
    readonly type: SketchedType,
    private readonly image: Size,
    /** The number of vertices that completes the shape. Boxes have two corners, or four points. */
    private readonly limit?: number,
  ) {}

  /** Starts a shape that is drawn by dragging. */
  startDrag(at: Point): void {
    this.isDragged = true;
    this.click(at);
  }

  /** Starts with vertices that are known already. */
  startWith(points: readonly number[]): void {
    for (let i = 0; i < points.length; i += 2) this.vertices.push({ x: points[i] ?? 0, y: points[i + 1] ?? 0 });
  }

  /** The vertices so far. */
  drawn(): number[] {
    this.endFreehand();
    return flat(this.vertices);
  }

  get isEmpty(): boolean {
    return this.vertices.length === 0;
  }

  /** The last vertex. */
  get last(): Point | undefined {
    return this.vertices.at(-1);
  }

  /** Moves the vertex that follows the pointer. */
  moveTo(at: Point): void {
    this.endFreehand();
    this.pointer = this.limited(at);
  }

  /** Draws freehand to a position, if the shape has vertices. @param unit size of a screen pixel in pixels of the image */
  drawTo(at: Point, unit: number): void {
    const { last } = this;
    if (last === undefined || this.isBox || this.limit !== undefined) return this.moveTo(at);
    this.pointer = this.limited(at);
    const step = this.type === 'points' ? POINTS_STEP : FREEHAND_STEP;
    if (Math.hypot(this.pointer.x - last.x, this.pointer.y - last.y) < step * unit) return;
    this.freehand ??= { from: this.vertices.length - 1, tolerance: FREEHAND_TOLERANCE * unit };
    this.vertices.push(this.pointer);
  }

  /** Adds a vertex. @returns the points if the shape is complete */
  click(at: Point): number[] | undefined {
    this.endFreehand();
    const point = this.limited(at);
    this.pointer = point;
    const { last } = this;
    if (last !== undefined && Math.hypot(point.x - last.x, point.y - last.y) < SAME) return undefined;
    this.vertices.push(point);
    return this.vertices.length === (this.limit ?? (this.isBox ? 2 : undefined)) ? this.finish() : undefined;
  }

  /** Removes the last vertex. */
  back(): void {
    this.endFreehand();
    this.vertices.pop();
  }

  /** @returns the points of the finished shape, or undefined if it has too few vertices or is too small */
  finish(): number[] | undefined {
    this.endFreehand();
    if (this.vertices.length < MIN_VERTICES[this.type]) return undefined;
    if (!this.isBox) return flat(this.vertices);
    const [first, second, third, back] = this.vertices;
    if (this.isCuboidByPoints) {
      if (first === undefined || second === undefined || third === undefined || back === undefined) return undefined;
      return cuboidByPoints([first, second, third, back]);
    }
    const [left = 0, top = 0, right = 0, bottom = 0] = this.boxOf(this.vertices);
    if (right - left >= MIN_SIDE && bottom - top >= MIN_SIDE) return this.pointsIn([left, top, right, bottom]);
    this.vertices.pop();
    return undefined;
  }

  /** The shape to show while it is drawn: the points so far, and the one under the pointer. */
  get preview(): { readonly type: SketchedType; readonly points: number[] } | undefined {
    const { type } = this;
    if (this.isEmpty) return undefined;
    const followed = this.pointer === undefined || type === 'points' ? [] : [this.pointer];
    const points = [...this.vertices, ...followed];
    if (this.isCuboidByPoints) return cuboidSketch(points);
    return { type, points: this.isBox ? this.pointsIn(this.boxOf(points)) : flat(points) };
  }

  private get isCuboidByPoints(): boolean {
    return this.type === 'cuboid' && this.limit === CUBOID_POINTS;
  }

  private boxOf(points: readonly Point[]): number[] {
    const [centre, edge] = points;
    if (this.type !== 'ellipse' || this.isDragged || centre === undefined) return boxAround(points);
    const { x, y } = edge ?? centre;
    return boxAround([
      { x, y },
      { x: 2 * centre.x - x, y: 2 * centre.y - y },
    ]);
  }

  private get isBox(): boolean {
    return BOXES.has(this.type);
  }

  private pointsIn(box: number[]): number[] {
    if (this.type === 'ellipse') return ellipseInBox(box);
    return this.type === 'cuboid' ? cuboidFrom(box, this.image) : box;
  }

  /** Removes vertices that the line drawn freehand does not need. */
  private endFreehand(): void {
    const { freehand, type } = this;
    this.freehand = undefined;
    if (freehand === undefined || type === 'points') return;
    this.vertices.push(...simplifiedLine(this.vertices.splice(freehand.from), freehand.tolerance));
  }

  /** Shapes are drawn within the image. */
  private limited({ x, y }: Point): Point {
    const within = (value: number, most: number): number => roundCoordinate(Math.max(0, Math.min(most, value)));
    return { x: within(x, this.image.width), y: within(y, this.image.height) };
  }
}

const boxAround = (points: readonly Point[]): number[] => {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};

const flat = (points: readonly Point[]): number[] => points.flatMap(({ x, y }) => [x, y]);
