import { Konva } from 'konva/lib/Core';
import { Circle } from 'konva/lib/shapes/Circle';
import { Line } from 'konva/lib/shapes/Line';
import { Rect } from 'konva/lib/shapes/Rect';
import { Text } from 'konva/lib/shapes/Text';
import type { Bounds } from '../scene/drawing';
import { objectAt } from '../scene/hit';
import type { SceneObject } from '../scene/scene';
import { type PaintedObject, Painter, type PaintStyle } from './painter';
import { type Painting, Paintings } from './paintings';
import { move, type Pointer, type ToolHost, type ToolName, TOOLS } from './tools';
import {
  covers,
  fitBounds,
  fitView,
  panBy,
  type Region,
  regionOf,
  type Size,
  toImage,
  type View,
  zoomAt,
} from './viewport';

/** An object with the colour that it is shown in. */
export interface ShownObject {
  readonly object: SceneObject;
  readonly color: string;
}

/** An issue on the frame. */
export interface Pin {
  readonly id: number;
  /** x, y, or corners. */
  readonly position: readonly number[];
  readonly resolved: boolean;
  readonly isChosen: boolean;
}

export interface CanvasContent {
  readonly frame: number;
  readonly picture: ImageBitmap | undefined;
  /** Of the frame, in the pixels that annotations count in; a compressed picture may have others. */
  readonly size: Size;
  /** Lowest first. */
  readonly objects: readonly ShownObject[];
  /** Opacity of what is filled, 0 to 1. */
  readonly fill: number;
}

export interface CanvasEvents {
  onSelect(key: string | null): void;
  onHover(key: string | null): void;
  onIssue(id: number): void;
  /** A place was chosen with the tool for issues. */
  onPlace(position: number[]): void;
  onView(view: View): void;
}

const LINE = 1.75;
const DOT = 3.5;
/** So far beside a line a click still chooses it, in screen pixels. */
const REACH = 5;
/** A pointer that has moved less, in screen pixels, has clicked. */
const STILL = 4;
/** After so long without a movement a sharp painting is made. */
const SETTLED_MS = 120;
/** Between two paintings while the view moves. */
const PAUSE_MS = 150;
/** How long a frame waits for its annotations, so that both appear together. */
const TOGETHER_MS = 200;
/** Pixels of the image are shown as squares from this scale on. */
const SQUARES = 3;
const WHEEL_STEP = 0.0016;
const PIN = { open: '#ffb020', resolved: '#4caf7d', chosen: '#ffffff' } as const;
const PIN_RADIUS = 9;

/**
 * The canvas: a frame, its annotations painted by a worker, and on top what changes at once (what is chosen, pins, the
 * box that is being drawn). Zooming and panning move the last painting until a new one is there.
 */
export class CanvasStage implements ToolHost {
  private readonly stage: Konva.Stage;
  private readonly ground = new Konva.Layer({ listening: false });
  private readonly front = new Konva.Layer();
  private readonly marks: Konva.Shape;
  private readonly pins = new Konva.Group();
  private readonly box = new Rect({ visible: false, listening: false, stroke: PIN.open, strokeScaleEnabled: false });
  private readonly paintings = new Paintings((painting) => this.hang(painting));
  private readonly resizing: ResizeObserver;
  private readonly listening = new AbortController();

  private painter = new Painter({ width: 1, height: 1 });
  private content: CanvasContent = {
    frame: -1,
    picture: undefined,
    size: { width: 1, height: 1 },
    objects: [],
    fill: 0.2,
  };
  private shownPicture: ImageBitmap | undefined;
  private shownSize: Size = { width: 1, height: 1 };
  private painting: Painting | undefined;
  private paintedAt = 0;
  private version = 0;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private view: View = { scale: 1, x: 0, y: 0 };
  private isFitted = true;
  private tool: ToolName = 'select';
  private selected: string | null = null;
  private hovered: string | null = null;

  constructor(
    private readonly container: HTMLDivElement,
    private readonly events: CanvasEvents,
  ) {
    const { width, height } = this.screen();
    this.stage = new Konva.Stage({ container, width, height });
    this.marks = new Konva.Shape({ listening: false, sceneFunc: (context) => this.drawMarks(context._context) });
    this.ground.add(new Konva.Shape({ sceneFunc: (context) => this.drawGround(context._context) }));
    this.front.add(this.marks, this.pins, this.box);
    this.stage.add(this.ground, this.front);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(container);
    this.listen();
  }

  destroy(): void {
    clearTimeout(this.pending);
    clearTimeout(this.settling);
    this.listening.abort();
    this.resizing.disconnect();
    this.paintings.end();
    this.stage.destroy();
  }

  /** Shows a frame with its annotations; both appear at once. */
  show(content: CanvasContent): void {
    const isOther = content.picture !== this.content.picture || content.frame !== this.content.frame;
    this.content = content;
    this.painter = new Painter(content.size);
    this.version = this.paintings.setScene(content.size, content.objects.flatMap(painted));
    if (isOther) {
      clearTimeout(this.pending);
      this.pending = setTimeout(() => this.swap(undefined), TOGETHER_MS);
      // The first frame waits for nothing.
      const isFirst = this.shownPicture === undefined;
      if (isFirst || content.objects.length === 0 || content.picture === undefined) this.swap(undefined);
    }
    this.order();
    this.stage.batchDraw(); // where nothing is left to be painted, the last painting goes
  }

  setPins(pins: readonly Pin[]): void {
    this.pins.destroyChildren();
    for (const pin of pins) this.pins.add(...pinNodes(pin));
    this.sizePins();
    this.front.batchDraw();
  }

  setSelected(key: string | null): void {
    this.selected = key;
    this.front.batchDraw();
  }

  setHovered(key: string | null): void {
    if (this.hovered === key) return;
    this.hovered = key;
    this.front.batchDraw();
  }

  setTool(tool: ToolName): void {
    this.tool = tool;
    this.container.style.cursor = TOOLS[tool].cursor;
  }

  /** The whole frame. */
  fit(): void {
    this.isFitted = true;
    this.look(fitView(this.shownSize, this.screen()));
  }

  /** @param scale screen pixels for a pixel of the image */
  zoomTo(scale: number): void {
    this.zoomBy(scale / this.view.scale);
  }

  /** About the middle of the screen. */
  zoomBy(factor: number): void {
    const { width, height } = this.screen();
    this.zoom(factor, { x: width / 2, y: height / 2 });
  }

  panBy(dx: number, dy: number): void {
    this.isFitted = false;
    this.look(panBy(this.view, dx, dy, this.shownSize, this.screen()));
  }

  /** Goes to a part of the frame, if nothing of it is in sight or it is too small to be seen. */
  reveal(bounds: Bounds): void {
    const { width, height } = this.screen();
    const [from, to] = [toImage(this.view, { x: 0, y: 0 }), toImage(this.view, { x: width, y: height })];
    const isInSight = bounds.left < to.x && bounds.top < to.y && bounds.right > from.x && bounds.bottom > from.y;
    const isTiny = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top) * this.view.scale < 12;
    if (isInSight && !isTiny) return;
    this.isFitted = false;
    this.look(fitBounds(bounds, this.screen(), Math.min(width, height) / 4, 8));
  }

  choose({ screen, image }: Pointer): void {
    const pin = this.pinAt(screen);
    if (pin !== undefined) this.events.onIssue(pin);
    else this.events.onSelect(this.keyAt(image));
  }

  showBox(box: Bounds | undefined): void {
    this.box.visible(box !== undefined);
    if (box !== undefined) {
      this.box.setAttrs({ x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
    }
    this.front.batchDraw();
  }

  place(position: number[]): void {
    const { width, height } = this.content.size;
    // A place beside the frame would be found by nobody.
    this.events.onPlace(
      position.map((value, at) => Math.round(Math.max(0, Math.min(at % 2 === 0 ? width : height, value)) * 100) / 100),
    );
  }

  private screen(): Size {
    return { width: Math.max(this.container.clientWidth, 1), height: Math.max(this.container.clientHeight, 1) };
  }

  private resize(): void {
    this.stage.size(this.screen());
    if (this.isFitted) this.fit();
    else this.look(panBy(this.view, 0, 0, this.shownSize, this.screen()));
  }

  private zoom(factor: number, at: { x: number; y: number }): void {
    this.isFitted = false;
    this.look(zoomAt(this.view, factor, at, this.shownSize, this.screen()));
  }

  private look(view: View): void {
    this.view = view;
    this.stage.scale({ x: view.scale, y: view.scale });
    this.stage.position({ x: view.x, y: view.y });
    this.sizePins();
    this.stage.batchDraw();
    this.events.onView(view);
    this.order();
  }

  /** Has the annotations painted: now where something is missing, else sharp once the view rests. */
  private order(): void {
    clearTimeout(this.settling);
    const { painting } = this;
    const isEnough =
      painting?.version === this.version && covers(painting.region, this.view, this.screen(), Konva.pixelRatio);
    // While the view moves on and on, painting leaves time for moving.
    const rest = this.painting?.version === this.version ? this.paintedAt + PAUSE_MS - performance.now() : 0;
    if (isEnough) this.settling = setTimeout(() => this.paint(), SETTLED_MS);
    else if (rest > 0) this.settling = setTimeout(() => this.paint(), rest);
    else this.paint();
  }

  private paint(): void {
    const region = regionOf(this.view, this.screen(), Konva.pixelRatio);
    if (this.painting?.version === this.version && isSame(this.painting.region, region)) return;
    if (this.content.objects.length > 0) this.paintings.order(region, this.style());
  }

  private style(): PaintStyle {
    const ratio = Konva.pixelRatio;
    return { fill: this.content.fill, line: LINE * ratio, dot: DOT * ratio };
  }

  private hang(painting: Painting): void {
    this.paintedAt = performance.now();
    if (this.pending === undefined) {
      this.painting = painting;
      this.ground.batchDraw();
    } else this.swap(painting);
    this.order();
  }

  /** The frame changes, and its annotations with it. */
  private swap(painting: Painting | undefined): void {
    clearTimeout(this.pending);
    this.pending = undefined;
    const { picture, size, frame } = this.content;
    const isOtherSize = size.width !== this.shownSize.width || size.height !== this.shownSize.height;
    this.painting = painting;
    this.shownPicture = picture;
    this.shownSize = size;
    this.container.dataset['frame'] = picture === undefined ? '' : String(frame);
    if (isOtherSize) this.fit();
    this.stage.batchDraw();
  }

  private drawGround(context: CanvasRenderingContext2D): void {
    const { shownPicture, shownSize, painting } = this;
    // A picture that is kept no longer has no size.
    if (shownPicture !== undefined && shownPicture.width > 0) {
      context.imageSmoothingEnabled = this.view.scale < SQUARES;
      context.drawImage(shownPicture, 0, 0, shownSize.width, shownSize.height);
    }
    if (painting === undefined || this.content.objects.length === 0) return;
    const { left, top, width, height, scale } = painting.region;
    context.imageSmoothingEnabled = true;
    context.drawImage(painting.canvas, left, top, width / scale, height / scale);
  }

  private drawMarks(context: CanvasRenderingContext2D): void {
    const style = { fill: Math.max(this.content.fill, 0.3), line: LINE * 1.8, dot: DOT * 1.4 };
    for (const { object, color } of this.content.objects) {
      if (object.key !== this.selected && object.key !== this.hovered) continue;
      for (const shape of painted({ object, color })) this.painter.draw(context, shape, this.view.scale, style);
      if (object.key === this.selected && object.bounds !== undefined) this.drawFrameAround(context, object.bounds);
    }
  }

  private drawFrameAround(context: CanvasRenderingContext2D, { left, top, right, bottom }: Bounds): void {
    const unit = 1 / this.view.scale;
    const gap = 5 * unit;
    context.setLineDash([4 * unit, 3 * unit]);
    context.lineWidth = unit;
    context.strokeStyle = '#ffffff';
    context.strokeRect(left - gap, top - gap, right - left + 2 * gap, bottom - top + 2 * gap);
    context.setLineDash([]);
  }

  /** Pins keep their size on the screen. */
  private sizePins(): void {
    const unit = 1 / this.view.scale;
    for (const node of this.pins.find('.pin')) node.scale({ x: unit, y: unit });
  }

  private keyAt({ x, y }: { x: number; y: number }): string | null {
    const objects = this.content.objects.map(({ object }) => object);
    return objectAt(objects, x, y, REACH / this.view.scale)?.key ?? null;
  }

  private pinAt(place: { x: number; y: number }): number | undefined {
    const id = Number(this.stage.getIntersection(place)?.id());
    return Number.isInteger(id) && id > 0 ? id : undefined;
  }

  private pointer(event: PointerEvent | WheelEvent): Pointer {
    const { left, top } = this.container.getBoundingClientRect();
    const screen = { x: event.clientX - left, y: event.clientY - top };
    return { screen, image: toImage(this.view, screen) };
  }

  private listen(): void {
    const { container } = this;
    const { signal } = this.listening;
    container.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
        // A pinch on a touch pad is a wheel with Ctrl, in smaller steps.
        const step = WHEEL_STEP * lines * (event.ctrlKey ? 5 : 1);
        this.zoom(Math.exp(-event.deltaY * step), this.pointer(event).screen);
      },
      { passive: false, signal },
    );
    container.addEventListener('pointerdown', (event) => this.press(event), { signal });
    container.addEventListener('pointerleave', () => this.events.onHover(null), { signal });
    container.addEventListener(
      'pointermove',
      (event) => {
        if (event.buttons !== 0 || this.tool !== 'select') return;
        const pointer = this.pointer(event);
        const isOverPin = this.pinAt(pointer.screen) !== undefined;
        const key = isOverPin ? null : this.keyAt(pointer.image);
        container.style.cursor = isOverPin || key !== null ? 'pointer' : TOOLS.select.cursor;
        this.events.onHover(key);
      },
      { signal },
    );
  }

  /** Follows the pointer until its button is let go. The middle button always moves the image. */
  private press(event: PointerEvent): void {
    if (event.button > 1 || !event.isPrimary) return;
    event.preventDefault();
    // Whoever works on the canvas does not type any more: the keys are shortcuts again.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const start = this.pointer(event);
    const gesture = (event.button === 1 ? move : TOOLS[this.tool]).begin(start, this);
    const following = new AbortController();
    const signal = AbortSignal.any([following.signal, this.listening.signal]);
    let moved = false;
    const follow = (now: PointerEvent): void => {
      const pointer = this.pointer(now);
      moved ||= Math.hypot(pointer.screen.x - start.screen.x, pointer.screen.y - start.screen.y) >= STILL;
      if (moved) gesture.move(pointer);
    };
    window.addEventListener('pointermove', follow, { signal });
    window.addEventListener(
      'pointerup',
      (now) => {
        following.abort();
        gesture.end(this.pointer(now), moved);
      },
      { signal },
    );
    window.addEventListener(
      'pointercancel',
      () => {
        following.abort();
        gesture.cancel();
      },
      { signal },
    );
    window.addEventListener(
      'keydown',
      (now) => {
        if (now.key !== 'Escape') return;
        following.abort();
        gesture.cancel();
      },
      { signal },
    );
  }
}

function painted({ object, color }: ShownObject): PaintedObject[] {
  const { bounds, drawings, occluded: isDashed } = object;
  return bounds === undefined ? [] : [{ color, isDashed, drawings, bounds }];
}

function pinNodes({ id, position, resolved, isChosen }: Pin): (Konva.Group | Line)[] {
  const [x = 0, y = 0] = position;
  const fill = resolved ? PIN.resolved : PIN.open;
  const stroke = isChosen ? PIN.chosen : '#1a1206';
  const pin = new Konva.Group({ x, y, name: 'pin' });
  pin.add(
    new Circle({ id: String(id), radius: PIN_RADIUS, fill, stroke, strokeWidth: isChosen ? 3 : 1.5 }),
    new Text({
      text: resolved ? '✓' : '!',
      fontSize: 13,
      fontStyle: 'bold',
      fill: '#1a1206',
      width: 2 * PIN_RADIUS,
      height: 2 * PIN_RADIUS,
      x: -PIN_RADIUS,
      y: -PIN_RADIUS,
      align: 'center',
      verticalAlign: 'middle',
      listening: false,
    }),
  );
  const outline = outlineOf(position);
  if (outline === undefined) return [pin];
  return [
    new Line({
      points: outline,
      closed: true,
      stroke: fill,
      strokeWidth: isChosen ? 2.5 : 1.5,
      strokeScaleEnabled: false,
      dash: [6, 4],
      listening: false,
    }),
    pin,
  ];
}

/** Two corners are a box; more points are an outline. */
function outlineOf(position: readonly number[]): number[] | undefined {
  if (position.length < 4) return undefined;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = position;
  return position.length === 4 ? [x1, y1, x2, y1, x2, y2, x1, y2] : [...position];
}

const isSame = (a: Region, b: Region): boolean =>
  a.left === b.left && a.top === b.top && a.scale === b.scale && a.width === b.width && a.height === b.height;
