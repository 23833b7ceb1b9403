import type { Point, Size } from '#shared/annotations/editing/geometry';
import type { CanvasStage } from '../canvas/canvas-stage';
import type { Gesture, PaintingInput, Pointer } from '../canvas/tools';
import { toScreen, type View } from '../canvas/viewport';
import type { Pixels } from './live-wire';
import { type ReadPixels, ScissorsSession } from './scissors-session';
import classes from './scissors.module.css';

const RADIUS = 4;
const SVG = 'http://www.w3.org/2000/svg';

interface ScissorsContext {
  readonly stage: CanvasStage;
  readonly image: () => ImageBitmap | undefined;
  /** Of the original image, the unit of annotations. */
  readonly size: Size;
  /** Receives the points of a finished polygon. */
  readonly onDraw: (points: number[]) => void;
}

/** Shows the polygon that follows edges while it is drawn, and takes the clicks. It is loaded when the tool is first used. */
export class ScissorsDrawing implements PaintingInput {
  private readonly session: ScissorsSession;
  private readonly vectors = document.createElementNS(SVG, 'svg');
  private readonly line = document.createElementNS(SVG, 'polyline');
  private view: View;
  private request: number | undefined;

  constructor(private readonly context: ScissorsContext) {
    const { stage, size } = context;
    this.session = new ScissorsSession(size, (box) => this.read(box));
    this.view = stage.camera.view;
    this.vectors.setAttribute('class', classes['overlay'] ?? '');
    this.line.setAttribute('class', classes['line'] ?? '');
    stage.container.append(this.vectors);
    stage.setPainting(this);
  }

  get isSketching(): boolean {
    return this.session.positions.length > 0;
  }

  end(): void {
    if (this.request !== undefined) cancelAnimationFrame(this.request);
    this.context.stage.setPainting(undefined);
    this.vectors.remove();
  }

  begin(): Gesture {
    return {
      move: ({ image }) => this.hoverAt(image),
      end: ({ image }) => {
        this.session.click(image, this.view.scale);
        this.order();
      },
      cancel: () => undefined,
    };
  }

  hover(pointer: Pointer | null): void {
    this.hoverAt(pointer?.image);
  }

  look(view: View): void {
    this.view = view;
    this.order();
  }

  finish(): void {
    const points = this.session.finish();
    if (points !== undefined) this.context.onDraw(points);
  }

  back(): boolean {
    const isBack = this.session.back();
    this.order();
    return isBack;
  }

  resizeBrush(): boolean {
    return false;
  }

  private hoverAt(at: Point | undefined): void {
    this.session.hover(at);
    this.order();
  }

  private read({ left, top, right, bottom, scale }: Parameters<ReadPixels>[0]): Pixels {
    const { size, image } = this.context;
    const width = Math.max(1, Math.round((right - left) * scale));
    const height = Math.max(1, Math.round((bottom - top) * scale));
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    const bitmap = image();
    if (context === null || bitmap === undefined)
      return { width, height, data: new Uint8ClampedArray(width * height * 4) };
    // A compressed image may be smaller than the original.
    const [across, down] = [bitmap.width / size.width, bitmap.height / size.height];
    const part = [left * across, top * down, (right - left) * across, (bottom - top) * down] as const;
    context.drawImage(bitmap, ...part, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  }

  private order(): void {
    this.request ??= requestAnimationFrame(() => {
      this.request = undefined;
      this.draw();
    });
  }

  private draw(): void {
    const onScreen = (at: Point): Point => toScreen(this.view, at);
    const points = this.session.line.map(onScreen);
    this.line.setAttribute('points', points.map(({ x, y }) => `${x},${y}`).join(' '));
    this.vectors.replaceChildren(this.line, ...this.session.positions.map((at) => dot(onScreen(at))));
  }
}

function dot({ x, y }: Point): SVGElement {
  const circle = document.createElementNS(SVG, 'circle');
  circle.setAttribute('class', classes['dot'] ?? '');
  for (const [name, value] of Object.entries({ cx: x, cy: y, r: RADIUS })) circle.setAttribute(name, String(value));
  return circle;
}
