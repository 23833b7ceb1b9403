import {
  boxOf,
  type Point,
  type Size,
  startingAt,
  withoutVertex,
  withVertex,
} from '#shared/annotations/editing/geometry';
import type { Geometry } from '#shared/annotations/model';
import { dragged, edgeAt, type Handle, handleAt, handlePositions, isBox, titleOfDrag } from '../editing/handles';
import { CUBOID_POINTS } from '../editing/image-cuboid';
import { joinedAt, keptPoints, type Redrawing, vertexAt } from '../editing/redrawing';
import { BOXES, EXTREME_POINTS, hasVertices, type SketchedType, Sketch } from '../editing/sketch';
import { boundsOf, drawingsOf } from '../scene/drawing';
import { touches } from '../scene/hit';
import type { SceneObject } from '../scene/scene';
import type { Display } from '../settings/settings';
import { DOT, type Edit } from './content';
import { Painter } from './painter';
import { drawSize } from './ruler';
import type { Gesture, Pointer, ToolName } from './tools';
import type { Projection } from './viewport';

const HANDLE = 4.5;
/** Maximum distance of the pointer from a handle or an edge, in screen pixels. */
const REACH = 8;
const EDGE_REACH = 5;
const SKETCH_COLOR = '#ffffff';
const SNAP_COLOR = '#ffb020';
const SNAP_RING = 7;
const HANDLE_COLOR = '#ffffff';
/** Of the first vertex of an outline. */
const FIRST_COLOR = '#30d158';
const BOX_DASHES = [4, 4];
/** A polygon is open until it is complete; a skeleton is drawn as its box. */
const SKETCHED_AS: Partial<Record<SketchedType, SketchedType>> = { polygon: 'polyline', skeleton: 'rectangle' };

interface EditEvents {
  /** The layer must be drawn again. */
  onChange(): void;
  onDraw(type: SketchedType, points: number[]): void;
  onEdit(key: string, edit: Edit): void;
  /** The user draws the rest of an outline anew, with the tool of its type. */
  onRedraw(key: string, type: SketchedType): void;
  /** The user has clicked without changing anything, for example to select an object. */
  onChoose(pointer: Pointer): void;
  /** Objects are being dragged: they are drawn here instead of in the painting. */
  onDrag(keys: readonly string[]): void;
}

/** Draws what follows the pointer: the shape being drawn, the selected object's handles, and the object being dragged. */
export class EditLayer {
  private sketch: Sketch | undefined;
  /** The active object, which has handles. */
  private selected: SceneObject | undefined;
  /** The other selected objects, which move with it. */
  private others: readonly SceneObject[] = [];
  private drag: { readonly geometry: Geometry; readonly color: string } | undefined;
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
  private pinned: ReadonlySet<string> = new Set();
  private draggedWith: readonly { readonly geometry: Geometry; readonly color: string }[] = [];

  constructor(
    private readonly image: () => Size,
    private readonly view: () => Projection,
    private readonly display: () => Display,
    private readonly events: EditEvents,
  ) {}

  /** @param objects the selected objects that can be changed, the active one last */
  setSelected(objects: readonly SceneObject[], pinned: ReadonlySet<string>): void {
    this.selected = objects.at(-1);
    this.others = objects.slice(0, -1);
    this.pinned = pinned;
    this.endDrag();
  }

  cancelSketch(): void {
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
    this.cancelSketch();
  }

  /** Starts to draw with a tool: anew, or the rest of an outline. */
  take(tool: ToolName): void {
    const { redrawing } = this;
    this.cancelSketch();
    this.isSlicing = tool === 'slice';
    if (redrawing?.type !== tool) return;
    this.redrawing = redrawing;
    this.sketch = new Sketch(redrawing.type, this.image());
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
    if (shift) sketch.drawTo(image, 1 / this.view().scale);
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

  /** Whether a click would change the outline of the selected object. */
  isOnOutline(pointer: Pointer): boolean {
    const [handle, geometry] = [this.handleAt(pointer), this.geometry()];
    if (handle === undefined || geometry === undefined) return false;
    const { x, y } = pointer.image;
    return handle.kind !== 'body' || edgeAt(geometry, x, y, EDGE_REACH / this.view().scale) !== undefined;
  }

  /** The cursor over the selected object; undefined elsewhere. */
  cursorAt(pointer: Pointer): string | undefined {
    const handle = this.handleAt(pointer);
    if (handle === undefined) return undefined;
    return CURSORS[handle.kind];
  }

  /** Starts to drag the part of the selected object that is under the pointer. */
  begin(start: Pointer): Gesture | undefined {
    const { selected } = this;
    const handle = this.handleAt(start);
    const geometry = this.geometry();
    if (selected === undefined || handle === undefined || geometry === undefined) return undefined;
    if (handle.kind === 'body' && this.pinned.has(selected.key)) {
      const end: Gesture['end'] = (pointer, moved) =>
        moved ? undefined : this.click(selected, geometry, handle, pointer);
      return { move: () => undefined, end, cancel: () => undefined };
    }
    return {
      move: ({ image, shift }) => {
        const others = handle.kind === 'body' ? this.others.filter(({ key }) => !this.pinned.has(key)) : [];
        if (this.drag === undefined) this.events.onDrag([selected, ...others].map(({ key }) => key));
        const draggedOf = (object: SceneObject, from: Geometry) => ({
          geometry: dragged(from, handle, image.x, image.y, shift),
          color: object.labelColor,
        });
        this.drag = draggedOf(selected, geometry);
        this.draggedWith = others.flatMap((object) => {
          const from = geometryOf(object);
          return from === undefined ? [] : [draggedOf(object, from)];
        });
        this.events.onChange();
      },
      end: (pointer, moved) => {
        this.endDrag();
        if (moved) this.drop(selected, geometry, handle, pointer);
        else this.click(selected, geometry, handle, pointer);
      },
      cancel: () => {
        this.endDrag();
        this.events.onDrag([]);
        this.events.onChange();
      },
    };
  }

  paint(context: CanvasRenderingContext2D): void {
    const { scale } = this.view();
    const painter = new Painter(this.image());
    const { selectedFill, outline, texts } = this.display();
    const style = { fill: selectedFill, line: outline * 1.4, dot: DOT, text: texts };
    const show = (shape: Geometry, color: string): void => {
      const { type, points, rotation } = shape;
      const drawings = drawingsOf({ type: type === 'skeleton' ? 'points' : type, points, rotation });
      const bounds = boundsOf(drawings) ?? { left: 0, top: 0, right: 0, bottom: 0 };
      painter.draw(context, { color, isDashed: false, drawings, bounds, text: [] }, scale, style);
      const box = isBox(shape) ? boxOf(shape) : [bounds.left, bounds.top, bounds.right, bounds.bottom];
      if (BOXES.has(type)) drawSize(context, box, bounds, this.view());
    };
    const preview = this.sketch?.preview;
    if (preview !== undefined) {
      show({ ...preview, type: SKETCHED_AS[preview.type] ?? preview.type, rotation: 0 }, SKETCH_COLOR);
    }
    for (const { geometry, color } of [...this.draggedWith, ...(this.drag ? [this.drag] : [])]) show(geometry, color);
    const geometry = this.drag?.geometry ?? this.geometry();
    if (geometry !== undefined) this.paintHandles(context, geometry, 1 / scale);
    if (this.snap !== undefined) this.paintSnap(context, this.snap, 1 / scale);
  }

  private paintHandles(context: CanvasRenderingContext2D, geometry: Geometry, unit: number): void {
    const { points, rotation, box } = handlePositions(geometry, unit);
    if (box !== undefined) paintBox(context, box, unit);
    context.lineWidth = unit;
    context.strokeStyle = '#000000';
    const dot = (x: number, y: number, color: string): void => {
      context.beginPath();
      context.arc(x, y, HANDLE * unit, 0, 2 * Math.PI);
      context.fillStyle = color;
      context.fill();
      context.stroke();
    };
    const isOutline = geometry.type === 'polygon' || geometry.type === 'polyline';
    for (let i = 0; i < points.length; i += 2) {
      dot(points[i] ?? 0, points[i + 1] ?? 0, isOutline && i === 0 ? FIRST_COLOR : HANDLE_COLOR);
    }
    if (rotation !== undefined) dot(...rotation, '#ffb020');
  }

  private paintSnap(context: CanvasRenderingContext2D, { x, y }: Point, unit: number): void {
    context.beginPath();
    context.arc(x, y, SNAP_RING * unit, 0, 2 * Math.PI);
    context.lineWidth = 2 * unit;
    context.strokeStyle = SNAP_COLOR;
    context.stroke();
  }

  private drop(selected: SceneObject, geometry: Geometry, handle: Handle, { image, shift }: Pointer): void {
    const { points, rotation } = dragged(geometry, handle, image.x, image.y, shift);
    if (handle.kind === 'body') {
      this.events.onEdit(selected.key, { kind: 'move', dx: image.x - handle.fromX, dy: image.y - handle.fromY });
    } else
      this.events.onEdit(selected.key, { kind: 'reshape', title: titleOfDrag(handle, geometry), points, rotation });
  }

  /**
   * On a vertex, Alt + click removes it, Ctrl + click makes it the first one of a polygon, and Shift + click redraws the
   * outline from there. A click on an edge inserts a vertex.
   */
  private click(selected: SceneObject, geometry: Geometry, handle: Handle, pointer: Pointer): void {
    const { x, y } = pointer.image;
    const reshape = (title: string, changed: Geometry): void => {
      const { points, rotation } = changed;
      if (changed !== geometry) this.events.onEdit(selected.key, { kind: 'reshape', title, points, rotation });
    };
    const edge =
      handle.kind === 'body' && !pointer.shift ? edgeAt(geometry, x, y, EDGE_REACH / this.view().scale) : undefined;
    const { type } = geometry;
    if (handle.kind === 'vertex' && pointer.alt) reshape('Remove vertex', withoutVertex(geometry, handle.index));
    else if (handle.kind === 'vertex' && pointer.ctrl) reshape('Set first vertex', startingAt(geometry, handle.index));
    else if (handle.kind === 'vertex' && pointer.shift && (type === 'polygon' || type === 'polyline')) {
      this.redrawing = { type, points: geometry.points, from: handle.index };
      this.events.onRedraw(selected.key, type);
    } else if (edge !== undefined) reshape('Insert vertex', withVertex(geometry, edge, x, y));
    else if (handle.kind === 'body') this.events.onChoose(pointer);
  }

  /** The outline if its new part ends at one of its vertices. */
  private rejoined(sketch: Sketch, { x, y }: Point): number[] | undefined {
    const { redrawing } = this;
    const at = redrawing && vertexAt(redrawing, x, y, REACH / this.view().scale);
    return redrawing && at !== undefined ? joinedAt(redrawing, sketch.drawn(), at) : undefined;
  }

  private complete(type: SketchedType, points: number[]): void {
    this.sketch = undefined;
    this.redrawing = undefined;
    this.events.onChange();
    this.events.onDraw(type, points);
  }

  private sketchOf(type: SketchedType): Sketch {
    if (this.sketch?.type !== type) this.sketch = new Sketch(type, this.image(), this.limitOf(type));
    return this.sketch;
  }

  private limitOf(type: SketchedType): number | undefined {
    if (type === 'rectangle' && this.takesExtremePoints) return EXTREME_POINTS;
    if (type === 'cuboid' && this.takesFourPoints) return CUBOID_POINTS;
    return hasVertices(type) && !this.isSlicing ? this.pointLimit : undefined;
  }

  private handleAt({ image: { x, y } }: Pointer): Handle | undefined {
    const geometry = this.geometry();
    if (this.selected === undefined || geometry === undefined) return undefined;
    const unit = 1 / this.view().scale;
    const isOnBody = [this.selected, ...this.others].some(({ drawings }) =>
      drawings.some((drawing) => touches(drawing, x, y, EDGE_REACH * unit)),
    );
    return handleAt(geometry, x, y, REACH, unit) ?? (isOnBody ? { kind: 'body', fromX: x, fromY: y } : undefined);
  }

  private geometry(): Geometry | undefined {
    return this.selected && geometryOf(this.selected);
  }

  private endDrag(): void {
    this.drag = undefined;
    this.draggedWith = [];
  }
}

const geometryOf = ({ type, points, rotation, outside }: SceneObject): Geometry | undefined =>
  type === 'tag' || outside ? undefined : { type, points: [...points], rotation };

const CURSORS: Readonly<Record<Handle['kind'], string>> = {
  side: 'nwse-resize',
  vertex: 'move',
  cuboid: 'move',
  scale: 'nwse-resize',
  rotation: 'grab',
  body: 'move',
};

/** Draws the box around a skeleton. */
function paintBox(
  context: CanvasRenderingContext2D,
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  unit: number,
): void {
  context.lineWidth = unit;
  context.strokeStyle = HANDLE_COLOR;
  context.setLineDash(BOX_DASHES.map((length) => length * unit));
  context.strokeRect(left, top, right - left, bottom - top);
  context.setLineDash([]);
}
