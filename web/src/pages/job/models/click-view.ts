import type { Point, Size } from '#shared/annotations/editing/geometry';
import { Konva } from 'konva/lib/Core';
import type { Gesture, PaintingInput, Pointer } from '../canvas/tools';
import { toScreen, type View } from '../canvas/viewport';
import { maskPixels } from '../scene/drawing';
import type { ClickSession } from './click-session';
import classes from './click-view.module.css';

const OPACITY = 0.55;
const RADIUS = 5;
const SVG = 'http://www.w3.org/2000/svg';

/** Shows the clicks of a session and the mask that the function has answered with, and takes the clicks. */
export class ClickView implements PaintingInput {
  private readonly canvas = document.createElement('canvas');
  private readonly vectors = document.createElementNS(SVG, 'svg');
  private readonly unsubscribe: () => void;
  private request: number | undefined;
  /** The mask that is drawn, as an image. */
  private drawn: { readonly mask: readonly number[]; readonly image: OffscreenCanvas; readonly at: Point } | undefined;
  /** The box that is being drawn. */
  private box: readonly [Point, Point] | undefined;

  /** @param color of the mask, `#rrggbb` @param image its size */
  constructor(
    private readonly container: HTMLElement,
    private readonly session: ClickSession,
    private readonly image: Size,
    private color: string,
    private view: View,
  ) {
    this.canvas.className = classes['overlay'] ?? '';
    this.vectors.setAttribute('class', classes['overlay'] ?? '');
    container.append(this.canvas, this.vectors);
    this.unsubscribe = session.subscribe(() => this.order());
    this.order();
  }

  setColor(color: string): void {
    this.color = color;
    this.drawn = undefined;
    this.order();
  }

  end(): void {
    this.unsubscribe();
    if (this.request !== undefined) cancelAnimationFrame(this.request);
    this.canvas.remove();
    this.vectors.remove();
  }

  look(view: View): void {
    this.view = view;
    this.order();
  }

  hover(): void {
    // Nothing follows the pointer.
  }

  begin(start: Pointer): Gesture {
    const { session } = this;
    const show = (box: readonly [Point, Point] | undefined): void => {
      this.box = box;
      this.order();
    };
    return {
      move: ({ image }) => (session.takesBox ? show([start.image, image]) : undefined),
      end: ({ image }, moved) => {
        show(undefined);
        if (moved && session.takesBox) session.setBox(this.inImage(start.image), this.inImage(image));
        else this.add(start.image, !start.shift);
      },
      cancel: () => show(undefined),
    };
  }

  secondaryClick({ image }: Pointer): boolean {
    this.add(image, false);
    return true;
  }

  resizeBrush(): boolean {
    return false;
  }

  finish(): void {
    // A double click is two clicks here.
  }

  back(): boolean {
    return false;
  }

  private add(at: Point, isPositive: boolean): void {
    const { width, height } = this.image;
    if (at.x >= 0 && at.y >= 0 && at.x < width && at.y < height) this.session.addPoint(rounded(at), isPositive);
  }

  private inImage({ x, y }: Point): Point {
    const { width, height } = this.image;
    return rounded({ x: Math.max(0, Math.min(width, x)), y: Math.max(0, Math.min(height, y)) });
  }

  private order(): void {
    this.request ??= requestAnimationFrame(() => {
      this.request = undefined;
      this.drawMask();
      this.drawPrompt();
    });
  }

  private drawMask(): void {
    const ratio = Konva.pixelRatio;
    this.canvas.width = Math.round(this.container.clientWidth * ratio);
    this.canvas.height = Math.round(this.container.clientHeight * ratio);
    const { mask } = this.session.snapshot();
    if (mask !== this.drawn?.mask) this.drawn = mask && this.imageOf(mask);
    const context = this.canvas.getContext('2d');
    if (this.drawn === undefined || context === null) return;
    const { scale, angle, x, y } = this.view;
    context.setTransform(new DOMMatrix().scale(ratio).translate(x, y).rotate(angle).scale(scale));
    context.imageSmoothingEnabled = false;
    context.globalAlpha = OPACITY;
    context.drawImage(this.drawn.image, this.drawn.at.x, this.drawn.at.y);
  }

  private imageOf(mask: readonly number[]): typeof this.drawn {
    const pixels = maskPixels(mask, this.image, Number.parseInt(this.color.slice(1), 16));
    if (pixels === undefined) return undefined;
    const image = new OffscreenCanvas(pixels.width, pixels.height);
    image.getContext('2d')?.putImageData(new ImageData(pixels.rgba, pixels.width, pixels.height), 0, 0);
    return { mask, image, at: { x: pixels.left, y: pixels.top } };
  }

  private drawPrompt(): void {
    const { positive, negative, box: stored } = this.session.snapshot().prompt;
    const box = this.box ?? stored;
    this.vectors.replaceChildren(
      ...(box === undefined ? [] : [this.outline(box)]),
      ...positive.map((at) => this.dot(at, 'positive')),
      ...negative.map((at) => this.dot(at, 'negative')),
    );
  }

  private dot(at: Point, name: 'positive' | 'negative'): SVGElement {
    const { x, y } = toScreen(this.view, at);
    return element('circle', { class: `${classes['dot']} ${classes[name]}`, cx: x, cy: y, r: RADIUS });
  }

  private outline([from, to]: readonly [Point, Point]): SVGElement {
    const corners = [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }].map((at) => toScreen(this.view, at));
    return element('polygon', {
      class: classes['box'] ?? '',
      points: corners.map(({ x, y }) => `${x},${y}`).join(' '),
    });
  }
}

const rounded = ({ x, y }: Point): Point => ({ x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 });

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}
