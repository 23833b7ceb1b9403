import type { Point } from '#shared/annotations/editing/geometry';
import { Konva } from 'konva/lib/Core';
import { SKETCHED_TYPES, type SketchedType } from '../editing/sketch';
import type { Bounds } from '../scene/drawing';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { Camera } from './camera';
import { type CanvasContent, type CanvasEvents, NO_CONTENT, type Pin } from './content';
import { EditLayer } from './edit-layer';
import { FrontLayer } from './front-layer';
import { drawMarks } from './marks';
import { PaintedFrame } from './painted-frame';
import { Painter } from './painter';
import { Picker } from './picker';
import type { Measurement } from './ruler';
import { issueOf } from './pins';
import { PointerInput, type PointerTarget } from './pointer-input';
import type { Stage } from './stage';
import { SketchLayer } from './sketch-layer';
import { type Gesture, NO_GESTURE, type PaintingInput, type Pointer, type ToolName, TOOLS } from './tools';
import type { Size, View } from './viewport';

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
  private readonly frame: PaintedFrame;
  private readonly front: FrontLayer;
  private readonly sketching: SketchLayer;
  private readonly editing: EditLayer;
  private readonly input: PointerInput;
  private readonly resizing: ResizeObserver;

  private painter = new Painter(NO_CONTENT.size);
  private content = NO_CONTENT;
  private readonly picker = new Picker(
    () => this.content,
    () => this.camera.view.scale,
  );
  private display: Display = DEFAULT_SETTINGS;
  isPasting = false;
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
    this.frame = new PaintedFrame({
      container,
      screen,
      view: () => this.camera.view,
      onSwap: (size) => this.camera.setImage(size),
      redraw: () => this.stage.batchDraw(),
    });
    const surface = {
      image: () => this.content.size,
      view: () => this.camera.view,
      display: () => this.display,
    };
    this.sketching = new SketchLayer(surface, {
      onChange: () => this.front.redraw(),
      onDraw: (type, points) => events.onDraw(type, points),
    });
    this.editing = new EditLayer(surface, {
      onChange: () => this.front.redraw(),
      onEdit: (key, edit) => events.onEdit(key, edit),
      onRedraw: (key, redrawing) => {
        this.sketching.redraw(redrawing);
        events.onRedraw(key, redrawing.type);
      },
      onChoose: (pointer) => this.choose(pointer),
      onDrag: (keys) => this.frame.paintWithout(keys),
    });
    this.stage = new Konva.Stage({ container, ...screen() });
    this.front = new FrontLayer({
      view: () => this.camera.view,
      paint: (context) => {
        context.save();
        drawMarks(context, this.painter, this.content, this.display, this.marked, this.camera.view);
        context.restore();
        this.editing.paint(context);
        this.sketching.paint(context);
      },
    });
    this.frame.addTo(this.stage);
    this.stage.add(this.front.layer);
    this.frame.attach();
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(container);
    this.input = new PointerInput(container, this);
  }

  destroy(): void {
    this.input.end();
    this.resizing.disconnect();
    this.frame.end();
    this.stage.destroy();
  }

  /** Shows a frame with its annotations. Both appear together. */
  show(content: CanvasContent): void {
    const isOther = content.image !== this.content.image || content.frame !== this.content.frame;
    this.content = content;
    this.painter = new Painter(content.size);
    if (isOther) {
      this.input.cancel();
      this.sketching.cancel();
    }
    this.editSelected();
    this.frame.show(content, isOther);
  }

  setDisplay(display: Display): void {
    this.display = display;
    this.frame.setDisplay(display);
    this.stage.batchDraw();
  }

  /** Whether the content is not visible yet. */
  get isChanging(): boolean {
    return this.frame.isChanging;
  }

  /** While frames are played, none appears without its annotations. */
  setPlaying(isPlaying: boolean): void {
    this.frame.setPlaying(isPlaying);
  }

  setPins(pins: readonly Pin[]): void {
    this.front.setPins(pins);
  }

  setSelected(keys: readonly string[]): void {
    this.marked = { ...this.marked, selected: keys };
    this.editSelected();
    this.front.redraw();
  }

  setHovered(key: string | null): void {
    if (this.marked.hovered === key) return;
    this.marked = { ...this.marked, hovered: key };
    this.front.redraw();
  }

  get tool(): ToolName {
    return this.toolName;
  }

  setTool(tool: ToolName): void {
    this.toolName = tool;
    this.sketching.snap = undefined;
    this.sketching.take(tool);
    this.measure(undefined);
    this.container.style.cursor = TOOLS[tool].cursor;
  }

  /** @param limit the number of vertices that completes a polygon, polyline or points; undefined: the user decides */
  setPointLimit(limit: number | undefined): void {
    this.sketching.pointLimit = limit;
    this.sketching.cancel();
  }

  setDrawing({ snaps, takesExtremePoints, takesFourPoints }: DrawingOptions): void {
    this.snaps = snaps;
    this.sketching.setPoints(takesExtremePoints, takesFourPoints);
  }

  /** Whether the tool draws shapes by their vertices. */
  get isDrawing(): boolean {
    return this.toolName === 'slice' || SKETCHED_TYPES.some((type) => type === this.toolName);
  }

  get isSketching(): boolean {
    return this.painting?.isSketching ?? this.sketching.isSketching;
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
    this.sketching.draw(type, this.snapped(type, from), this.snapped(type, to), isDrag);
  }

  sketchTo(type: SketchedType, from: Pointer, to: Pointer): void {
    this.sketching.sketchTo(type, this.snapped(type, from), this.snapped(type, to));
  }

  finish(): void {
    this.sketching.finish();
    this.painting?.finish();
  }

  doubleClick(pointer: Pointer): void {
    const isViewing = this.toolName === 'move' || (this.toolName === 'select' && !this.editing.isOnOutline(pointer));
    if (isViewing) this.camera.fit();
    else this.finish();
  }

  secondaryClick(pointer: Pointer): boolean {
    return this.painting?.secondaryClick?.(pointer) ?? this.back();
  }

  back(): boolean {
    return this.painting?.back() ?? this.sketching.back();
  }

  hover(pointer: Pointer | null): void {
    this.pointer = pointer;
    this.painting?.hover(pointer);
    if (pointer?.ctrl !== true) this.isPasting = false;
    if (pointer === null) {
      this.sketching.snap = undefined;
      return this.events.onHover(null);
    }
    if (this.isDrawing) return this.sketching.hover(this.snapped(this.toolName, pointer));
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
    this.events.onSelectAll(this.picker.keysIn(box));
  }

  measure(measurement: Measurement | undefined): void {
    this.front.measure(measurement);
  }

  showBox(box: Bounds | undefined): void {
    this.front.showBox(box);
  }

  pinIssue(position: number[]): void {
    const { width, height } = this.content.size;
    // Issues outside the frame would be unreachable.
    this.events.onPinIssue(
      position.map((value, at) => Math.round(Math.max(0, Math.min(at % 2 === 0 ? width : height, value)) * 100) / 100),
    );
  }

  keysAtPointer(): readonly string[] {
    return this.pointer === null ? [] : this.picker.keysAt(this.camera.toImage(this.pointer.screen));
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
    const target = isOn ? this.picker.snapTarget(pointer.image) : undefined;
    if (target !== this.sketching.snap) this.front.redraw();
    this.sketching.snap = target;
    return target === undefined ? pointer : { ...pointer, image: target };
  }

  private editSelected(): void {
    this.editing.setSelected(this.picker.editable(this.marked.selected), this.content.pinned);
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
    this.front.look(view);
    this.painting?.look(view);
    this.stage.batchDraw();
    this.events.onView(view);
    this.frame.order();
  }

  private keyAt(at: Point): string | null {
    return this.picker.keysAt(at)[0] ?? null;
  }

  private pinAt(at: Point): number | undefined {
    return issueOf(this.stage.getIntersection(at));
  }
}

/** The tools whose vertices snap to outlines. */
const SNAPPING: ReadonlySet<ToolName> = new Set(['polygon', 'polyline', 'slice']);
