import type { Box } from '#shared/annotations/mask';
import { Konva } from 'konva/lib/Core';
import { centred } from '../editing/mask-raster';
import type { MaskSession } from '../editing/mask-session';
import classes from './mask-view.module.css';
import type { Gesture, PaintingInput, Pointer } from './tools';
import type { View } from './viewport';

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
    this.color = wordOf(Number.parseInt(color.slice(1), 16));
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
    this.color = wordOf(Number.parseInt(color.slice(1), 16));
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
  private paint(box: Box, ratio: number): void {
    const [scale, x, y] = [this.view.scale * ratio, this.view.x * ratio, this.view.y * ratio];
    const left = Math.max(0, Math.floor(box.left * scale + x));
    const top = Math.max(0, Math.floor(box.top * scale + y));
    const width = Math.min(this.canvas.width, Math.ceil((box.right + 1) * scale + x)) - left;
    const height = Math.min(this.canvas.height, Math.ceil((box.bottom + 1) * scale + y)) - top;
    if (width <= 0 || height <= 0) return;
    const { bitmap } = this.session.painting;
    const image = new ImageData(width, height);
    const words = new Uint32Array(image.data.buffer);
    const columns = Int32Array.from({ length: width }, (_, at) => Math.floor((left + at + 0.5 - x) / scale));
    for (let row = 0; row < height; row += 1) {
      const source = Math.floor((top + row + 0.5 - y) / scale);
      if (source < 0 || source >= bitmap.height) continue;
      const pixels = bitmap.pixels.subarray(source * bitmap.width, (source + 1) * bitmap.width);
      // A position outside of the row is undefined, and not foreground either.
      for (let at = 0; at < width; at += 1) {
        if (pixels[columns[at] ?? -1] === 1) words[row * width + at] = this.color;
      }
    }
    this.context?.putImageData(image, left, top);
  }

  private drawVectors(): void {
    const { scale, x, y } = this.view;
    const { brush, outline } = this.session;
    const isBrush = brush !== undefined && this.pointer !== undefined;
    show(this.disc, isBrush && brush.form === 'round');
    show(this.square, isBrush && brush.form === 'square');
    if (brush !== undefined && this.pointer !== undefined) {
      const centre = centred(this.pointer.image, brush);
      const [cx, cy, radius] = [centre.x * scale + x, centre.y * scale + y, (brush.size / 2) * scale];
      set(this.disc, { cx, cy, r: radius });
      set(this.square, { x: cx - radius, y: cy - radius, width: 2 * radius, height: 2 * radius });
    }
    const points = outline.map((value, at) => value * scale + (at % 2 === 0 ? x : y));
    this.outline.setAttribute('points', points.join(' '));
  }
}

const show = (shape: SVGElement, isShown: boolean): void =>
  shape.setAttribute('visibility', isShown ? 'visible' : 'hidden');

function set(shape: SVGElement, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) shape.setAttribute(name, String(value));
}

/** The four bytes of a colour 0xrrggbb in the order of this machine. */
function wordOf(color: number): number {
  const bytes = Uint8Array.of((color >> 16) & 255, (color >> 8) & 255, color & 255, OPACITY);
  return new Uint32Array(bytes.buffer)[0] ?? 0;
}
