import type { Box } from '#shared/annotations/mask';
import { Konva } from 'konva/lib/Core';
import { centred } from '../editing/mask-raster';
import type { MaskSession } from '../editing/mask-session';
import classes from './mask-view.module.css';
import type { Gesture, PaintingInput, Pointer } from './tools';
import { toScreen, turnedBounds, type View } from './viewport';

/** Opacity of the mask being drawn, 0 to 255. */
const OPACITY = 150;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * Shows a mask while it is drawn, on a canvas of its own: a stroke repaints only the box that it has changed, directly
 * from the bitmap. The brush and the polygon are vector graphics above it.
 */
export class MaskView implements PaintingInput {
  private readonly canvas = document.createElement('canvas');
  private readonly vectors = document.createElementNS(SVG, 'svg');
  private readonly disc = document.createElementNS(SVG, 'circle');
  private readonly square = document.createElementNS(SVG, 'rect');
  private readonly outline = document.createElementNS(SVG, 'polygon');
  private readonly context = this.canvas.getContext('2d');
  private color: number;
  private readonly unsubscribe: () => void;
  private view: View;
  private pointer: Pointer | undefined;
  private isAllDirty = true;
  private request: number | undefined;

  /** @param color of the mask, `#rrggbb` */
  constructor(
    private readonly container: HTMLElement,
    private readonly session: MaskSession,
    { color, view }: { readonly color: string; readonly view: View },
  ) {
    this.view = view;
    this.color = pixelOf(Number.parseInt(color.slice(1), 16));
    this.canvas.className = classes['overlay'] ?? '';
    this.vectors.setAttribute('class', classes['overlay'] ?? '');
    for (const shape of [this.disc, this.square, this.outline]) {
      shape.setAttribute('class', classes['line'] ?? '');
      this.vectors.append(shape);
    }
    container.append(this.canvas, this.vectors);
    this.unsubscribe = session.subscribe(() => this.order());
    this.look(view);
  }

  setColor(color: string): void {
    this.color = pixelOf(Number.parseInt(color.slice(1), 16));
    this.look(this.view);
  }

  end(): void {
    this.unsubscribe();
    if (this.request !== undefined) cancelAnimationFrame(this.request);
    this.canvas.remove();
    this.vectors.remove();
  }

  look(view: View): void {
    this.view = view;
    this.isAllDirty = true;
    this.order();
  }

  hover(pointer: Pointer | null): void {
    this.pointer = pointer ?? undefined;
    if (pointer !== null) this.session.moveTo(pointer.image, pointer.shift, this.view.scale);
    this.order();
  }

  begin(start: Pointer): Gesture {
    const { session } = this;
    this.pointer = start;
    session.press(start.image);
    return {
      isExact: true,
      move: (pointer) => {
        this.pointer = pointer;
        session.drag(pointer.image, this.view.scale);
      },
      end: (pointer) => session.release(pointer.image),
      cancel: () => void session.cancel(),
    };
  }

  resizeBrush(by: 1 | -1): boolean {
    if (this.session.brush === undefined) return false;
    this.session.options.resize(by);
    return true;
  }

  finish(): void {
    this.session.finishPolygon();
  }

  back(): boolean {
    return this.session.removeVertex();
  }

  private order(): void {
    this.request ??= requestAnimationFrame(() => {
      this.request = undefined;
      this.draw();
    });
  }

  private draw(): void {
    const ratio = Konva.pixelRatio;
    const [width, height] = [this.container.clientWidth, this.container.clientHeight].map((side) =>
      Math.round(side * ratio),
    );
    if (width !== this.canvas.width || height !== this.canvas.height) {
      [this.canvas.width, this.canvas.height] = [width ?? 0, height ?? 0];
      this.isAllDirty = true;
    }
    this.canvas.style.visibility = this.session.options.values.isHidden ? 'hidden' : 'visible';
    const dirty = this.session.painting.takeDirty();
    if (this.isAllDirty) this.context?.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const box = this.isAllDirty ? this.session.painting.bitmap : dirty;
    this.isAllDirty = false;
    if (box !== undefined) this.paint(box, ratio);
    this.drawVectors();
  }

  /** Repaints the screen pixels of a box of the bitmap. */
  private paint({ left, top, right, bottom }: Box, ratio: number): void {
    const { angle } = this.view;
    const [scale, x, y] = [this.view.scale * ratio, this.view.x * ratio, this.view.y * ratio];
    const box = turnedBounds({ left, top, right: right + 1, bottom: bottom + 1 }, angle);
    const from = { x: Math.max(0, Math.floor(box.left * scale + x)), y: Math.max(0, Math.floor(box.top * scale + y)) };
    const width = Math.min(this.canvas.width, Math.ceil(box.right * scale + x)) - from.x;
    const height = Math.min(this.canvas.height, Math.ceil(box.bottom * scale + y)) - from.y;
    if (width <= 0 || height <= 0) return;
    const { bitmap } = this.session.painting;
    const alongX = { count: bitmap.width, stride: 1 };
    const alongY = { count: bitmap.height, stride: bitmap.width };
    const isSideways = angle === 90 || angle === 270;
    const across = offsetsOf((from.x - x) / scale, scale, width, {
      ...(isSideways ? alongY : alongX),
      isReversed: angle === 90 || angle === 180,
    });
    const down = offsetsOf((from.y - y) / scale, scale, height, {
      ...(isSideways ? alongX : alongY),
      isReversed: angle === 180 || angle === 270,
    });
    const image = new ImageData(width, height);
    const words = new Uint32Array(image.data.buffer);
    for (const [row, start] of down.entries()) {
      if (start < 0) continue;
      for (let at = 0; at < width; at += 1) {
        const offset = across[at] ?? -1;
        if (offset >= 0 && bitmap.pixels[start + offset] === 1) words[row * width + at] = this.color;
      }
    }
    this.context?.putImageData(image, from.x, from.y);
  }

  private drawVectors(): void {
    const { view } = this;
    const { brush, outline } = this.session;
    const isBrush = brush !== undefined && this.pointer !== undefined;
    show(this.disc, isBrush && brush.form === 'round');
    show(this.square, isBrush && brush.form === 'square');
    if (brush !== undefined && this.pointer !== undefined) {
      const { x, y } = toScreen(view, centred(this.pointer.image, brush));
      const radius = (brush.size / 2) * view.scale;
      set(this.disc, { cx: x, cy: y, r: radius });
      set(this.square, { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
    }
    const points: string[] = [];
    for (let at = 0; at < outline.length; at += 2) {
      const { x, y } = toScreen(view, { x: outline[at] ?? 0, y: outline[at + 1] ?? 0 });
      points.push(`${x},${y}`);
    }
    this.outline.setAttribute('points', points.join(' '));
  }
}

/**
 * The offsets in a bitmap of a row or column of screen pixels, -1 outside of the bitmap.
 * @param start position of the first pixel in pixels of the image
 * @param axis the number of pixels of the bitmap in this direction, the distance of their offsets, and whether they are in
 *   reverse order on the screen
 */
function offsetsOf(
  start: number,
  scale: number,
  length: number,
  axis: { readonly count: number; readonly stride: number; readonly isReversed: boolean },
): Int32Array {
  return Int32Array.from({ length }, (_, at) => {
    const position = start + (at + 0.5) / scale;
    const pixel = Math.floor(axis.isReversed ? -position : position);
    return pixel < 0 || pixel >= axis.count ? -1 : pixel * axis.stride;
  });
}

const show = (shape: SVGElement, isShown: boolean): void =>
  shape.setAttribute('visibility', isShown ? 'visible' : 'hidden');

function set(shape: SVGElement, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) shape.setAttribute(name, String(value));
}

/** The four bytes of a colour 0xrrggbb in the order of this machine. */
function pixelOf(color: number): number {
  const bytes = Uint8Array.of((color >> 16) & 255, (color >> 8) & 255, color & 255, OPACITY);
  return new Uint32Array(bytes.buffer)[0] ?? 0;
}
