import type { Point } from '#shared/annotations/editing/geometry';
import { CUBOID_POINTS } from '../editing/image-cuboid';
import { joinedAt, keptPoints, type Redrawing, vertexAt } from '../editing/redrawing';
import { EXTREME_POINTS, hasVertices, type SketchedType, Sketch } from '../editing/sketch';
import { paintShape, paintSnap, type Surface } from './edit-painting';
import type { Pointer, ToolName } from './tools';

/** Maximum distance of the pointer from a vertex, in screen pixels. */
const REACH = 8;
const SKETCH_COLOR = '#ffffff';
/** A polygon is open until it is complete; a skeleton is drawn as its box. */
const SKETCHED_AS: Partial<Record<SketchedType, SketchedType>> = { polygon: 'polyline', skeleton: 'rectangle' };

interface SketchEvents {
  /** The sketch must be painted again. */
  onChange(): void;
  onDraw(type: SketchedType, points: number[]): void;
}

/** The shape that is being drawn. */
export class SketchLayer {
  private sketch: Sketch | undefined;
  /** Whether the line that slices an object is drawn. */
  private isSlicing = false;
  /** The number of vertices that completes a shape without a fixed number. */
  pointLimit: number | undefined;
  private takesExtremePoints = false;
  private takesFourPoints = false;
  /** The outline whose rest the next sketch replaces, until another tool is taken. */
  private redrawing: Redrawing | undefined;
  /** Where the pointer snaps to the outline of an object. */
  snap: Point | undefined;

  constructor(
    private readonly surface: Surface,
    private readonly events: SketchEvents,
  ) {}

  get isSketching(): boolean {
    return this.sketch?.isEmpty === false;
  }

  cancel(): void {
    this.sketch = undefined;
    this.redrawing = undefined;
    this.events.onChange();
  }

  /**
   * @param takesExtremePoints whether rectangles are drawn by four extreme points
   * @param takesFourPoints whether cuboids are drawn by four points
   */
  setPoints(takesExtremePoints: boolean, takesFourPoints: boolean): void {
    if (takesExtremePoints === this.takesExtremePoints && takesFourPoints === this.takesFourPoints) return;
    this.takesExtremePoints = takesExtremePoints;
    this.takesFourPoints = takesFourPoints;
    this.cancel();
  }

  /** The rest of an outline is drawn anew, as soon as the tool of its type is taken. */
  redraw(redrawing: Redrawing): void {
    this.redrawing = redrawing;
  }

  /** Starts to draw with a tool: anew, or the rest of an outline. */
  take(tool: ToolName): void {
    const { redrawing } = this;
    this.cancel();
    this.isSlicing = tool === 'slice';
    if (redrawing?.type !== tool) return;
    this.redrawing = redrawing;
    this.sketch = new Sketch(redrawing.type, this.surface.image());
    this.sketch.startWith(keptPoints(redrawing));
  }

  /** @returns false if nothing is being drawn */
  back(): boolean {
    if (this.sketch === undefined) return false;
    this.sketch.back();
    this.events.onChange();
    return true;
  }

  /** Completes the shape being drawn, unless it has too few vertices. */
  finish(): void {
    const points = this.sketch?.finish();
    if (this.sketch !== undefined && points !== undefined) this.complete(this.sketch.type, points);
  }

  hover(pointer: Pointer): void {
    if (this.sketch === undefined) return;
    this.moveSketch(this.sketch, pointer);
  }

  sketchTo(type: SketchedType, from: Pointer, to: Pointer): void {
    const sketch = this.sketchOf(type);
    if (sketch.isEmpty) sketch.startDrag(from.image);
    this.moveSketch(sketch, to);
  }

  /** With Shift, vertices are drawn freehand. */
  private moveSketch(sketch: Sketch, { image, shift }: Pointer): void {
    if (shift) sketch.drawTo(image, 1 / this.surface.view().scale);
    else sketch.moveTo(image);
    this.events.onChange();
  }

  draw(type: SketchedType, from: Pointer, to: Pointer, isDrag: boolean): void {
    const sketch = this.sketchOf(type);
    if (isDrag && sketch.isEmpty) sketch.startDrag(from.image);
    const points = this.rejoined(sketch, to.image) ?? sketch.click(to.image);
    if (points !== undefined) this.complete(type, points);
    else this.events.onChange();
  }

  paint(context: CanvasRenderingContext2D): void {
    const preview = this.sketch?.preview;
    if (preview !== undefined) {
      const type = SKETCHED_AS[preview.type] ?? preview.type;
      paintShape(context, { ...preview, type, rotation: 0 }, SKETCH_COLOR, this.surface);
    }
    if (this.snap !== undefined) paintSnap(context, this.snap, 1 / this.surface.view().scale);
  }

  /** The outline if its new part ends at one of its vertices. */
  private rejoined(sketch: Sketch, { x, y }: Point): number[] | undefined {
    const { redrawing } = this;
    const at = redrawing && vertexAt(redrawing, x, y, REACH / this.surface.view().scale);
    return redrawing && at !== undefined ? joinedAt(redrawing, sketch.drawn(), at) : undefined;
  }

  private complete(type: SketchedType, points: number[]): void {
    this.sketch = undefined;
    this.redrawing = undefined;
    this.events.onChange();
    this.events.onDraw(type, points);
  }

  private sketchOf(type: SketchedType): Sketch {
    if (this.sketch?.type !== type) this.sketch = new Sketch(type, this.surface.image(), this.limitOf(type));
    return this.sketch;
  }

  private limitOf(type: SketchedType): number | undefined {
    if (type === 'rectangle' && this.takesExtremePoints) return EXTREME_POINTS;
    if (type === 'cuboid' && this.takesFourPoints) return CUBOID_POINTS;
    return hasVertices(type) && !this.isSlicing ? this.pointLimit : undefined;
  }
}
