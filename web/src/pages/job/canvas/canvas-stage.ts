import type { Point } from '#shared/annotations/editing/geometry';
import { Konva } from 'konva/lib/Core';
import { Rect } from 'konva/lib/shapes/Rect';
import { SKETCHED_TYPES, type SketchedType } from '../editing/sketch';
import type { Bounds } from '../scene/drawing';
import { objectsAt } from '../scene/hit';
import { snapTarget } from '../editing/snapping';
import { selectedAmong } from '../scene/object-list';
import type { SceneObject } from '../scene/scene';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { AnnotationLayer } from './annotation-layer';
import { Camera } from './camera';
import { type CanvasContent, type CanvasEvents, NO_CONTENT, type Pin } from './content';
import { EditLayer } from './edit-layer';
import { drawMarks } from './marks';
import { Painter } from './painter';
import type { Painting } from './paintings';
import { FrameLayer } from './frame-layer';
import { drawGrid } from './grid';
import { drawRuler, type Measurement } from './ruler';
import { issueOf, PIN_COLORS, Pins } from './pins';
import { PointerInput, type PointerTarget } from './pointer-input';
import type { Stage } from './stage';
import { type Gesture, NO_GESTURE, type PaintingInput, type Pointer, type ToolName, TOOLS } from './tools';
import type { Size, View } from './viewport';

/** Maximum distance of a click from the line that it selects, in screen pixels. */
const REACH = 5;
/** Maximum distance of a vertex from the outline that it snaps to, in screen pixels. */
const SNAP_REACH = 10;
/** How long a frame waits for its annotations, so that both appear together. During playback it waits longer. */
const TOGETHER_MS = 200;
const TOGETHER_PLAYING_MS = 2000;

interface DrawingOptions {
  /** Whether vertices snap to outlines without Ctrl, too. */
  readonly snaps: boolean;
  /** Whether rectangles are drawn by four extreme points instead of two corners. */
  readonly takesExtremePoints: boolean;
  /** Whether cuboids are drawn by four points instead of the box of their front. */
  readonly takesFourPoints: boolean;
}

/**
 * The canvas: a frame, its annotations painted by a worker, and on top what changes immediately (selection, pins, the
 * box being drawn). Zooming and panning move the last painting until a new one is ready.
 */
export class CanvasStage implements PointerTarget, Stage {
  readonly camera: Camera;
  private readonly stage: Konva.Stage;
  private readonly ground = new Konva.Layer({ listening: false });
  private readonly front = new Konva.Layer();
  private readonly pins = new Pins();
  private readonly box = new Rect({
    visible: false,
    listening: false,
    stroke: PIN_COLORS.open,
    strokeScaleEnabled: false,
  });
  private readonly annotations: AnnotationLayer;
  private readonly editing: EditLayer;
  private readonly input: PointerInput;
  private readonly resizing: ResizeObserver;

  private painter = new Painter(NO_CONTENT.size);
  private content = NO_CONTENT;
  private readonly image = new FrameLayer(() => this.camera.view.scale);
  private display: Display = DEFAULT_SETTINGS;
  private shownSize = NO_CONTENT.size;
  private measurement: Measurement | undefined;
  private pending: ReturnType<typeof setTimeout> | undefined;
  isPasting = false;
  private isPlaying = false;
  private toolName: ToolName = 'select';
  /** Null while it is not over the canvas. */
  private pointer: Pointer | null = null;
  /** Whether vertices snap to outlines without Ctrl, too. */
  private snaps = false;
  /** Where a mask is being drawn. */
  private painting: PaintingInput | undefined;
  private marked: { readonly selected: readonly string[]; readonly hovered: string | null } = {
    selected: [],
    hovered: null,
  };

  constructor(
    readonly container: HTMLDivElement,
    private readonly events: CanvasEvents,
  ) {
    const screen = (): Size => this.screen();
    this.camera = new Camera(screen, (view) => this.look(view));
    this.annotations = new AnnotationLayer(
      () => ({ view: this.camera.view, screen: this.screen() }),
      (painting) => this.insertPainting(painting),
    );
    this.editing = new EditLayer(
      () => this.content.size,
      () => this.camera.view,
      () => this.display,
      {
        onChange: () => this.front.batchDraw(),
        onDraw: (type, points) => events.onDraw(type, points),
        onEdit: (key, edit) => events.onEdit(key, edit),
        onRedraw: (key, type) => events.onRedraw(key, type),
        onChoose: (pointer) => this.choose(pointer),
        onDrag: (keys) => this.paintWithout(keys),
      },
    );
    this.stage = new Konva.Stage({ container, ...screen() });
    const marks = (context: Konva.Context): void =>
      drawMarks(context._context, this.painter, this.content, this.display, this.marked, this.camera.view);
    this.ground.add(new Konva.Shape({ sceneFunc: (context) => this.drawGround(context._context) }));
    const edits = (context: Konva.Context): void => {
      this.editing.paint(context._context);
      if (this.measurement !== undefined) drawRuler(context._context, this.measurement, this.camera.view);
    };
    this.front.add(
      new Konva.Shape({ listening: false, sceneFunc: marks }),
      new Konva.Shape({ listening: false, sceneFunc: edits }),
      this.pins.node,
      this.box,
    );
    this.stage.add(this.image.layer, this.ground, this.front);
    this.image.addTo(container);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(container);
    this.input = new PointerInput(container, this);
  }

  destroy(): void {
    clearTimeout(this.pending);
    this.input.end();
    this.resizing.disconnect();
    this.annotations.end();
    this.stage.destroy();
  }

  /** Shows a frame with its annotations. Both appear together. */
  show(content: CanvasContent): void {
    const isOther = content.image !== this.content.image || content.frame !== this.content.frame;
    this.content = content;
    this.painter = new Painter(content.size);
    this.annotations.setContent(content);
    if (isOther) {
      this.input.cancel();
      this.editing.cancelSketch();
    }
    this.editSelected();
    if (isOther) {
      clearTimeout(this.pending);
      this.pending = setTimeout(() => this.swap(undefined), this.isPlaying ? TOGETHER_PLAYING_MS : TOGETHER_MS);
    }
    // The first frame is shown without waiting for annotations.
    const isFirst = this.image.isEmpty;
    const isReady = isFirst || this.annotations.isDirect || content.image === undefined;
    if (this.pending !== undefined && isReady) this.swap(undefined);
    this.annotations.order();
    this.stage.batchDraw(); // removes the last painting if there is nothing to paint
  }

  setDisplay(display: Display): void {
    this.display = display;
    this.image.setDisplay(display);
    this.annotations.setDisplay(display);
    this.stage.batchDraw();
  }

  /** Whether the content is not visible yet. */
  get isChanging(): boolean {
    return this.pending !== undefined;
  }

  /** While frames are played, none appears without its annotations. */
  setPlaying(isPlaying: boolean): void {
    this.isPlaying = isPlaying;
  }

  setPins(pins: readonly Pin[]): void {
    this.pins.show(pins);
    this.front.batchDraw();
  }

  setSelected(keys: readonly string[]): void {
    this.marked = { ...this.marked, selected: keys };
    this.editSelected();
    this.front.batchDraw();
  }

  setHovered(key: string | null): void {
    if (this.marked.hovered === key) return;
    this.marked = { ...this.marked, hovered: key };
    this.front.batchDraw();
  }

  get tool(): ToolName {
    return this.toolName;
  }

  setTool(tool: ToolName): void {
    this.toolName = tool;
    this.editing.snap = undefined;
    this.editing.take(tool);
    this.measure(undefined);
    this.container.style.cursor = TOOLS[tool].cursor;
  }

  /** @param limit the number of vertices that completes a polygon, polyline or points; undefined: the user decides */
  setPointLimit(limit: number | undefined): void {
    this.editing.pointLimit = limit;
    this.editing.cancelSketch();
  }

  setDrawing({ snaps, takesExtremePoints, takesFourPoints }: DrawingOptions): void {
    this.snaps = snaps;
    this.editing.setPoints(takesExtremePoints, takesFourPoints);
  }

  /** Whether the tool draws shapes by their vertices. */
  get isDrawing(): boolean {
    return this.toolName === 'slice' || SKETCHED_TYPES.some((type) => type === this.toolName);
  }

  setPainting(painting: PaintingInput | undefined): void {
    this.painting = painting;
  }

  beginPainting(pointer: Pointer): Gesture {
    return this.painting?.begin(pointer) ?? NO_GESTURE;
  }

  resizeBrush(by: 1 | -1): boolean {
    return this.painting?.resizeBrush(by) ?? false;
  }

  toImage(at: Point): Point {
    return this.camera.toImage(at);
  }

  zoomAt(factor: number, at: Point): void {
    this.camera.zoomAt(factor, at);
  }

  panBy(dx: number, dy: number): void {
    this.camera.panBy(dx, dy);
  }

  beginEdit(pointer: Pointer): Gesture | undefined {
    return this.pinAt(pointer.screen) === undefined ? this.editing.begin(pointer) : undefined;
  }

  draw(type: SketchedType, from: Pointer, to: Pointer, isDrag: boolean): void {
    this.editing.draw(type, this.snapped(type, from), this.snapped(type, to), isDrag);
  }

  sketchTo(type: SketchedType, from: Pointer, to: Pointer): void {
    this.editing.sketchTo(type, this.snapped(type, from), this.snapped(type, to));
  }

  finish(): void {
    this.editing.finish();
    this.painting?.finish();
  }

  doubleClick(pointer: Pointer): void {
    const isViewing = this.toolName === 'move' || (this.toolName === 'select' && !this.editing.isOnOutline(pointer));
    if (isViewing) this.camera.fit();
    else this.finish();
  }

  back(): boolean {
    return this.painting?.back() ?? this.editing.back();
  }

  hover(pointer: Pointer | null): void {
    this.pointer = pointer;
    this.painting?.hover(pointer);
    if (pointer?.ctrl !== true) this.isPasting = false;
    if (pointer === null) {
      this.editing.snap = undefined;
      return this.events.onHover(null);
    }
    if (this.isDrawing) return this.editing.hover(this.snapped(this.toolName, pointer));
    if (this.toolName !== 'select') return;
    if (this.isPasting) {
      this.container.style.cursor = 'copy';
      return this.events.onHover(null);
    }
    const isOverPin = this.pinAt(pointer.screen) !== undefined;
    const key = isOverPin ? null : this.keyAt(pointer.image);
    const cursor = key !== null || isOverPin ? 'pointer' : TOOLS.select.cursor;
    this.container.style.cursor = (isOverPin ? undefined : this.editing.cursorAt(pointer)) ?? cursor;
    this.events.onHover(key);
  }

  pasteWhileHeld(): void {
    this.isPasting = true;
  }

  pasteAt(position: Point): void {
    this.events.onPaste(position);
  }

  choose({ screen, image, shift }: Pointer): void {
    const pin = this.pinAt(screen);
    if (pin !== undefined) this.events.onIssue(pin);
    else this.events.onSelect(this.keyAt(image), shift);
  }

  chooseIn(box: Bounds): void {
    const inside = this.content.objects.filter(
      ({ object: { bounds } }) => bounds !== undefined && overlap(bounds, box),
    );
    this.events.onSelectAll(inside.map(({ object }) => object.key));
  }

  measure(measurement: Measurement | undefined): void {
    this.measurement = measurement;
    this.front.batchDraw();
  }

  showBox(box: Bounds | undefined): void {
    this.box.visible(box !== undefined);
    if (box !== undefined) {
      this.box.setAttrs({ x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
    }
    this.front.batchDraw();
  }

  pinIssue(position: number[]): void {
    const { width, height } = this.content.size;
    // Issues outside the frame would be unreachable.
    this.events.onPinIssue(
      position.map((value, at) => Math.round(Math.max(0, Math.min(at % 2 === 0 ? width : height, value)) * 100) / 100),
    );
  }

  keysAtPointer(): readonly string[] {
    if (this.pointer === null) return [];
    const { x, y } = this.camera.toImage(this.pointer.screen);
    return objectsAt(this.objects(), x, y, this.reach()).map(({ key }) => key);
  }

  /** Pins an issue at the pointer. @returns false if it is not over the canvas */
  pinIssueAtPointer(): boolean {
    if (this.pointer === null) return false;
    const { x, y } = this.camera.toImage(this.pointer.screen);
    this.pinIssue([x, y]);
    return true;
  }

  /** Moves the pointer to the outline that a vertex snaps to. */
  private snapped(type: ToolName, pointer: Pointer): Pointer {
    const isOn = (this.snaps || pointer.ctrl) && SNAPPING.has(type);
    const objects = this.content.objects.map(({ object }) => object);
    const target = isOn ? snapTarget(objects, pointer.image, SNAP_REACH / this.camera.view.scale) : undefined;
    if (target !== this.editing.snap) this.front.batchDraw();
    this.editing.snap = target;
    return target === undefined ? pointer : { ...pointer, image: target };
  }

  private editSelected(): void {
    const { objects, isEditable, locked, pinned } = this.content;
    const { selected } = this.marked;
    const byKey = new Map(selectedAmong(objects, selected).map((object) => [object.key, object]));
    const unlocked = selected.flatMap((key) => (locked.has(key) ? [] : (byKey.get(key) ?? [])));
    this.editing.setSelected(isEditable ? unlocked : [], pinned);
  }

  /** @param keys of objects that are drawn elsewhere */
  private paintWithout(keys: readonly string[]): void {
    const hidden = new Set(keys);
    const objects = this.content.objects.filter(({ object }) => !hidden.has(object.key));
    this.annotations.setContent({ ...this.content, objects });
    this.annotations.order();
    this.ground.batchDraw();
  }

  private screen(): Size {
    return { width: Math.max(this.container.clientWidth, 1), height: Math.max(this.container.clientHeight, 1) };
  }

  private resize(): void {
    const { width, height } = this.screen();
    if (width === this.stage.width() && height === this.stage.height()) return; // setting the size clears the canvas
    this.stage.size({ width, height });
    this.camera.resized();
  }

  private look(view: View): void {
    this.stage.scale({ x: view.scale, y: view.scale });
    this.stage.rotation(view.angle);
    this.stage.position({ x: view.x, y: view.y });
    this.pins.keepUpright(view);
    this.painting?.look(view);
    this.stage.batchDraw();
    this.events.onView(view);
    this.annotations.order();
  }

  private insertPainting(painting: Painting): void {
    if (this.pending !== undefined) return this.swap(painting);
    this.annotations.show(painting);
    this.ground.batchDraw();
  }

  /** The frame changes, and its annotations with it. */
  private swap(painting: Painting | undefined): void {
    clearTimeout(this.pending);
    this.pending = undefined;
    const { image, size, frame } = this.content;
    this.annotations.show(painting);
    this.image.show(image, size);
    this.shownSize = size;
    this.container.dataset['frame'] = image === undefined ? '' : String(frame);
    this.camera.setImage(size);
    this.stage.batchDraw();
  }

  private drawGround(context: CanvasRenderingContext2D): void {
    drawGrid(context, this.display.grid, this.shownSize, this.camera.view, this.screen());
    this.annotations.draw(context);
  }

  private keyAt({ x, y }: Point): string | null {
    return objectsAt(this.objects(), x, y, this.reach())[0]?.key ?? null;
  }

  private objects(): SceneObject[] {
    return this.content.objects.map(({ object }) => object);
  }

  /** In pixels of the image. */
  private reach(): number {
    return REACH / this.camera.view.scale;
  }

  private pinAt(at: Point): number | undefined {
    return issueOf(this.stage.getIntersection(at));
  }
}

const overlap = (a: Bounds, b: Bounds): boolean =>
  a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;

/** The tools whose vertices snap to outlines. */
const SNAPPING: ReadonlySet<ToolName> = new Set(['polygon', 'polyline', 'slice']);
