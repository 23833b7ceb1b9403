import type { Point } from '#shared/annotations/editing/geometry';
import { move, type Pointer, type ToolHost, type ToolName, TOOLS } from './tools';
import { pinchOf } from './viewport';

/** The target of mouse, pen and touch input. */
export interface PointerTarget extends ToolHost {
  readonly tool: ToolName;
  /** Whether the tool draws shapes by their vertices. */
  readonly isDrawing: boolean;
  toImage(at: Point): Point;
  zoomAt(factor: number, at: Point): void;
  doubleClick(pointer: Pointer): void;
  /** Called while the pointer hovers, and when it leaves. */
  hover(pointer: Pointer | null): void;
  /** Removes the last vertex of the shape being drawn, or excludes a position. @returns false if nothing is being drawn */
  secondaryClick(pointer: Pointer): boolean;
  /** Makes the brush larger or smaller. @returns false if there is none */
  resizeBrush(by: 1 | -1): boolean;
}

/** Maximum movement of a click in screen pixels. */
const STILL = 4;
const WHEEL_STEP = 0.0016;
const LINE_HEIGHT = 16;
/** How long touches are ignored after a pen was near the screen: they are the palm of the hand that holds it. */
const PALM_MS = 500;

/** Handles pointer input on the canvas. One pointer uses the tool, two fingers zoom and pan. */
export class PointerInput {
  private readonly listening = new AbortController();
  /** Active touches in the order in which they started. */
  private readonly touches = new Map<number, Point>();
  /** When a pen was last near the screen; Infinity while it touches the screen. */
  private penAt = -Infinity;
  private cancelGesture: () => void = () => undefined;
  private isSpaceDown = false;

  constructor(
    private readonly container: HTMLElement,
    private readonly target: PointerTarget,
  ) {
    const { signal } = this.listening;
    container.addEventListener('wheel', (event) => this.turn(event), { passive: false, signal });
    container.addEventListener('pointerdown', (event) => this.press(event), { signal });
    container.addEventListener('dblclick', (event) => target.doubleClick(this.pointer(event)), { signal });
    container.addEventListener(
      'contextmenu',
      (event) => (target.secondaryClick(this.pointer(event)) ? event.preventDefault() : undefined),
      { signal },
    );
    container.addEventListener('pointerleave', () => target.hover(null), { signal });
    container.addEventListener(
      'pointermove',
      (event) => {
        if (event.pointerType === 'pen') this.penAt = Math.max(this.penAt, event.timeStamp);
        if (event.buttons !== 0) return;
        const isFreehand = event.shiftKey && target.isDrawing;
        for (const position of isFreehand ? positionsOf(event) : [event]) target.hover(this.pointer(position));
      },
      { signal },
    );
    window.addEventListener('pointermove', (event) => this.moveTouch(event), { signal });
    window.addEventListener('keydown', ({ key }) => (this.isSpaceDown ||= key === ' '), { signal });
    window.addEventListener('keyup', ({ key }) => (this.isSpaceDown &&= key !== ' '), { signal });
    window.addEventListener('blur', () => (this.isSpaceDown = false), { signal });
    for (const end of ['pointerup', 'pointercancel'] as const)
      window.addEventListener(end, (event) => this.pointerUp(event), { signal });
  }

  end(): void {
    this.listening.abort();
  }

  /** Ends the current gesture without effect. */
  cancel(): void {
    this.cancelGesture();
  }

  private turn(event: WheelEvent): void {
    event.preventDefault();
    // With Shift, some browsers turn the wheel sideways.
    const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
    if (event.shiftKey && this.target.resizeBrush(turned < 0 ? 1 : -1)) return;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_HEIGHT : 1;
    // Browsers report a pinch on a touch pad as a wheel event with Ctrl and smaller steps.
    const step = WHEEL_STEP * lines * (event.ctrlKey ? 5 : 1);
    this.target.zoomAt(Math.exp(-event.deltaY * step), this.position(event));
  }

  private press(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      if (event.timeStamp - this.penAt < PALM_MS) return;
      this.touches.set(event.pointerId, this.position(event));
    }
    if (event.pointerType === 'pen') {
      this.penAt = Infinity;
      this.touches.clear();
      this.cancelGesture();
    }
    if (this.touches.size > 1) this.cancelGesture();
    else if (event.button <= 1 && event.isPrimary) this.follow(event);
  }

  private pointerUp({ pointerId, pointerType, timeStamp }: PointerEvent): void {
    this.touches.delete(pointerId);
    if (pointerType === 'pen') this.penAt = timeStamp;
  }

  private moveTouch(event: PointerEvent): void {
    if (!this.touches.has(event.pointerId)) return;
    const before = [...this.touches.values()];
    this.touches.set(event.pointerId, this.position(event));
    const [first, second] = before;
    if (first === undefined || second === undefined) return;
    const [nowFirst = first, nowSecond = second] = this.touches.values();
    const { factor, at, dx, dy } = pinchOf([first, second], [nowFirst, nowSecond]);
    this.target.panBy(dx, dy);
    this.target.zoomAt(factor, at);
  }

  /** Follows a pointer until its button is released. The middle button always pans, as does any with Space. */
  private follow(event: PointerEvent): void {
    event.preventDefault();
    // Blur text fields, so that keys work as shortcuts again.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const start = this.pointer(event);
    const gesture = (event.button === 1 || this.isSpaceDown ? move : TOOLS[this.target.tool]).begin(start, this.target);
    const following = new AbortController();
    const signal = AbortSignal.any([following.signal, this.listening.signal]);
    let moved = false;
    const cancel = (): void => {
      if (following.signal.aborted) return;
      following.abort();
      gesture.cancel();
    };
    this.cancelGesture = cancel;
    const goOn = (now: PointerEvent): void => {
      if (now.pointerId !== event.pointerId) return;
      for (const position of gesture.isExact === true ? positionsOf(now) : [now]) {
        const pointer = this.pointer(position);
        moved ||= Math.hypot(pointer.screen.x - start.screen.x, pointer.screen.y - start.screen.y) >= STILL;
        if (moved) gesture.move(pointer);
      }
    };
    const release = (now: PointerEvent): void => {
      if (now.pointerId !== event.pointerId) return;
      following.abort();
      gesture.end(this.pointer(now), moved);
    };
    window.addEventListener('pointermove', goOn, { signal });
    window.addEventListener('pointerup', release, { signal });
    window.addEventListener('pointercancel', cancel, { signal });
    window.addEventListener('keydown', ({ key }) => (key === 'Escape' ? cancel() : undefined), { signal });
  }

  private pointer(event: MouseEvent): Pointer {
    const screen = this.position(event);
    return {
      screen,
      image: this.target.toImage(screen),
      shift: event.shiftKey,
      alt: event.altKey,
      ctrl: event.ctrlKey || event.metaKey,
    };
  }

  private position(event: MouseEvent): Point {
    const { left, top } = this.container.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

/** All positions of the pointer since the last event. Pens and mice move more often than the browser draws. */
const positionsOf = (event: PointerEvent): readonly PointerEvent[] => {
  // Some browsers have it on pages with HTTPS or of this machine only.
  const all = 'getCoalescedEvents' in event ? event.getCoalescedEvents() : [];
  return all.length === 0 ? [event] : all;
};
