import { Vector3 } from 'three';
import type { Point } from '#shared/annotations/editing/geometry';
import { PointerInput, type PointerTarget } from '../canvas/pointer-input';
import { type Gesture, NO_GESTURE, type Pointer, type ToolName, TOOLS } from '../canvas/tools';
import type { Bounds } from '../scene/drawing';
import { type Cuboid, distanceTo, movedBy } from './cuboid';
import type { ShownCuboid } from './cuboid-content';
import { type CuboidHandle, dragged, handleAt, handlesOf } from './cuboid-handles';
import { paintCuboids, type Marks } from './cuboid-painter';
import { OrbitCamera, type PlaneCamera, type ViewCamera } from './view-camera';

/** Changed cuboids by key. */
export type Changes = ReadonlyMap<string, Cuboid>;

const NO_CHANGES: Changes = new Map();

/** What the four views share. */
export interface PaneHost {
  readonly tool: ToolName;
  /** The cuboids to draw, with the changes of a drag. */
  readonly cuboids: readonly ShownCuboid[];
  readonly marks: Marks;
  /** The selected cuboid with handles, if the user can change it. */
  readonly editable: ShownCuboid | undefined;
  /** The selected cuboids that the user can move. */
  readonly movable: readonly ShownCuboid[];
  choose(key: string | null, adds: boolean): void;
  chooseAll(keys: readonly string[]): void;
  hover(key: string | null): void;
  /** Adds a cuboid where a position of a view points to. */
  placeAt(view: ViewCamera, at: Point): void;
  /** Shows changes, until they are committed or cancelled. */
  preview(changes: Changes): void;
  commit(title: string, changes: Changes): void;
  /** Called when the camera of the pane has moved. */
  moved(pane: ViewPane): void;
}

/** One of the four views: its camera, the cuboids drawn over its points, and its pointer input. */
export class ViewPane implements PointerTarget {
  private readonly overlay = document.createElement('canvas');
  private readonly input: PointerInput;
  private box: Bounds | undefined;

  constructor(
    readonly element: HTMLElement,
    readonly view: OrbitCamera | PlaneCamera,
    private readonly host: PaneHost,
  ) {
    this.overlay.setAttribute('aria-hidden', 'true');
    element.prepend(this.overlay);
    this.input = new PointerInput(element, this);
  }

  end(): void {
    this.input.end();
    this.overlay.remove();
  }

  cancel(): void {
    this.input.cancel();
  }

  get tool(): ToolName {
    return this.host.tool;
  }

  setSize(width: number, height: number): void {
    const ratio = window.devicePixelRatio;
    this.overlay.width = Math.round(width * ratio);
    this.overlay.height = Math.round(height * ratio);
    this.view.setScreen({ width, height });
  }

  /** Draws the cuboids. */
  paint(): void {
    const context = this.overlay.getContext('2d');
    if (context === null) return;
    const { host, view } = this;
    const ratio = window.devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.size.width, view.size.height);
    paintCuboids(context, view, host.cuboids, host.marks);
    const { editable } = host;
    if (editable !== undefined && host.tool === 'select') {
      paintHandles(context, handlesOf(editable.cuboid, view));
    }
    if (this.box !== undefined) paintBox(context, this.box);
  }

  toImage(at: Point): Point {
    return at;
  }

  zoomAt(factor: number, at: Point): void {
    this.view.zoomAt(factor, at);
    this.host.moved(this);
  }

  zoomBy(factor: number): void {
    this.view.zoomBy(factor);
    this.host.moved(this);
  }

  /** Turns a perspective view. */
  orbitBy(dx: number, dy: number): void {
    if (!(this.view instanceof OrbitCamera)) return;
    this.view.orbitBy(dx, dy);
    this.host.moved(this);
  }

  panBy(dx: number, dy: number): void {
    this.view.panBy(dx, dy);
    this.host.moved(this);
  }

  choose({ screen, shift }: Pointer): void {
    this.host.choose(this.keyAt(screen), shift);
  }

  chooseIn(box: Bounds): void {
    const inside = this.host.cuboids.filter(({ cuboid }) => {
      const at = this.view.project(cuboid.centre);
      return at !== undefined && at.x >= box.left && at.x <= box.right && at.y >= box.top && at.y <= box.bottom;
    });
    this.host.chooseAll(inside.map(({ key }) => key));
  }

  /** Changes the selected cuboids. Elsewhere in perspective, turns the view. */
  beginEdit(start: Pointer): Gesture | undefined {
    const { view, host } = this;
    const { editable } = host;
    if (editable !== undefined) {
      const handle = handleAt(handlesOf(editable.cuboid, view), start.screen);
      if (handle !== undefined) return this.draggingHandle(start, editable, handle);
    }
    if (start.shift) return undefined;
    const grabbed = this.cuboidAt(start.screen, host.movable);
    if (grabbed !== undefined) return this.movingCuboids(start, grabbed.at);
    return view instanceof OrbitCamera ? this.orbiting(start) : undefined;
  }

  /** A click adds a cuboid. Dragging moves the view, because cuboids are not drawn by dragging. */
  draw(_type: unknown, _from: Pointer, to: Pointer, isDrag: boolean): void {
    this.dragStart = undefined;
    if (!isDrag) this.host.placeAt(this.view, to.screen);
  }

  private dragStart: Point | undefined;

  sketchTo(_type: unknown, from: Pointer, to: Pointer): void {
    const last = this.dragStart ?? from.screen;
    this.dragStart = to.screen;
    const [dx, dy] = [to.screen.x - last.x, to.screen.y - last.y];
    if (this.view instanceof OrbitCamera) this.orbitBy(dx, dy);
    else this.panBy(dx, dy);
  }

  measure(): void {
    // Distances are measured in images only.
  }

  /** Clicks paste in images only. */
  readonly isPasting = false;
  pasteAt(): void {
    // Never called.
  }

  showBox(box: Bounds | undefined): void {
    this.box = box;
    this.paint();
  }

  hover(pointer: Pointer | null): void {
    if (pointer === null || this.tool !== 'select') {
      this.element.style.cursor = TOOLS[this.tool].cursor;
      return this.host.hover(null);
    }
    const { editable } = this.host;
    const handles = editable === undefined ? [] : handlesOf(editable.cuboid, this.view);
    const handle = handleAt(handles, pointer.screen);
    const key = this.keyAt(pointer.screen);
    this.element.style.cursor = handle !== undefined ? 'crosshair' : key === null ? 'default' : 'pointer';
    this.host.hover(key);
  }

  readonly isDrawing = false;

  // Cuboids are placed with one click, so there is never an unfinished one.
  finish(): void {}
  doubleClick(): void {}
  secondaryClick(): boolean {
    return false;
  }
  pinIssue(): void {}

  // Masks are painted in images.
  beginPainting(): Gesture {
    return NO_GESTURE;
  }
  resizeBrush(): boolean {
    return false;
  }

  private keyAt(at: Point): string | null {
    return this.cuboidAt(at, this.host.cuboids)?.key ?? null;
  }

  /** @returns the nearest cuboid at a position on the screen, and where the line of sight meets it */
  private cuboidAt(screen: Point, cuboids: readonly ShownCuboid[]): { key: string; at: Vector3 } | undefined {
    const ray = this.view.ray(screen);
    let [nearest, found]: [number, string | undefined] = [Infinity, undefined];
    for (const { key, cuboid } of cuboids) {
      const distance = distanceTo(cuboid, ray);
      if (distance !== undefined && distance < nearest) [nearest, found] = [distance, key];
    }
    return found === undefined ? undefined : { key: found, at: ray.at(nearest, new Vector3()) };
  }

  private orbiting(start: Pointer): Gesture {
    let last = start.screen;
    return {
      move: ({ screen }) => {
        this.orbitBy(screen.x - last.x, screen.y - last.y);
        last = screen;
      },
      end: (pointer, moved) => (moved ? undefined : this.choose(pointer)),
      cancel: () => undefined,
    };
  }

  private movingCuboids({ screen: start }: Pointer, grabbed: Vector3): Gesture {
    const { movable } = this.host;
    const movement = this.view.movementFrom(start, grabbed);
    const at = ({ screen }: Pointer): Changes => {
      const by = movement(screen);
      return new Map(movable.map(({ key, cuboid }) => [key, movedBy(cuboid, by)]));
    };
    return {
      move: (pointer) => this.host.preview(at(pointer)),
      end: (pointer, moved) => (moved ? this.host.commit('Move cuboid', at(pointer)) : this.choose(pointer)),
      cancel: () => this.host.preview(NO_CHANGES),
    };
  }

  private draggingHandle(from: Pointer, { key, cuboid }: ShownCuboid, handle: CuboidHandle): Gesture {
    const at = ({ screen, shift }: Pointer): Changes =>
      new Map([[key, dragged(cuboid, this.view, handle, from.screen, screen, shift)]]);
    const title = handle.signs === undefined ? 'Rotate cuboid' : 'Resize cuboid';
    return {
      move: (pointer) => this.host.preview(at(pointer)),
      end: (pointer, moved) => (moved ? this.host.commit(title, at(pointer)) : this.host.preview(NO_CHANGES)),
      cancel: () => this.host.preview(NO_CHANGES),
    };
  }
}

const HANDLE = 4.5;

function paintHandles(context: CanvasRenderingContext2D, handles: readonly CuboidHandle[]): void {
  for (const { at, signs } of handles) {
    context.beginPath();
    context.arc(at.x, at.y, HANDLE, 0, 2 * Math.PI);
    context.fillStyle = signs === undefined ? '#ffd60a' : '#fff';
    context.strokeStyle = '#14181b';
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
  }
}

function paintBox(context: CanvasRenderingContext2D, { left, top, right, bottom }: Bounds): void {
  context.strokeStyle = '#fff';
  context.lineWidth = 1;
  context.strokeRect(left, top, right - left, bottom - top);
}
