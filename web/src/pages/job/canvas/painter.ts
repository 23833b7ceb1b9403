import { type Bounds, type Drawing, maskPixels } from '../scene/drawing';
import { drawText, type TextStyle } from './texts';
import type { Projection, Region, Size } from './viewport';

/** Fields of an object that the painter uses. */
export interface PaintedObject {
  /** `#rrggbb` */
  readonly color: string;
  readonly isDashed: boolean;
  readonly drawings: readonly Drawing[];
  readonly bounds: Bounds;
  /** Lines next to the object. */
  readonly text: readonly string[];
}

export interface PaintStyle {
  /** Opacity of fills, 0 to 1. */
  readonly fill: number;
  /** In screen pixels, like the other widths. */
  readonly line: number;
  readonly dot: number;
  readonly text: TextStyle;
}

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

/** Opacity of masks for a given fill opacity. It is higher, as masks have no outline. */
const maskOpacity = (fill: number): number => Math.min(1, fill + 0.25);

/** Draws objects on canvases. It caches the pixels of masks for the lifetime of their objects. */
export class Painter {
  private readonly masks = new WeakMap<
    readonly number[],
    { readonly color: string; readonly canvas: OffscreenCanvas }
  >();

  /** @param image size of the frame, which limits masks */
  constructor(private readonly image: Size) {}

  /** Draws the parts of objects in a region on an empty canvas of that size. */
  paint(context: Context, region: Region, objects: readonly PaintedObject[], style: PaintStyle): void {
    const { left, top, scale, width, height } = region;
    const seen = { left, top, right: left + width / scale, bottom: top + height / scale };
    context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
    const inSight = objects.filter(({ bounds }) => intersects(bounds, seen, style.dot / scale));
    this.drawAll(context, inSight, region, style);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** Draws objects, then their texts, with the current transformation of the context. */
  drawAll(context: Context, objects: readonly PaintedObject[], view: Projection, style: PaintStyle): void {
    for (const object of objects) this.draw(context, object, view.scale, style);
    for (const { text, bounds } of objects) drawText(context, text, bounds, view, style.text);
  }

  /**
   * Draws one object with the current transformation of the context.
   * @param scale screen pixels per pixel of the image
   */
  draw(context: Context, { color, isDashed, drawings }: PaintedObject, scale: number, style: PaintStyle): void {
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = style.line / scale;
    context.lineJoin = 'round';
    context.setLineDash(isDashed ? [6 / scale, 4 / scale] : []);
    for (const drawing of drawings) this.drawOne(context, drawing, color, scale, style);
    context.globalAlpha = 1;
  }

  private drawOne(context: Context, drawing: Drawing, color: string, scale: number, style: PaintStyle): void {
    if (drawing.kind === 'mask') return this.drawMask(context, drawing.points, color, style);
    context.beginPath();
    if (drawing.kind === 'dots') {
      const radius = style.dot / scale;
      for (let i = 0; i < drawing.points.length; i += 2) {
        const [x = 0, y = 0] = [drawing.points[i], drawing.points[i + 1]];
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.globalAlpha = 1;
      context.setLineDash([]);
      if (drawing.isHollow === true) context.stroke();
      else context.fill();
      return;
    }
    const isFilled = drawing.kind === 'ellipse' || drawing.filled;
    if (drawing.kind === 'ellipse') {
      context.ellipse(drawing.cx, drawing.cy, drawing.rx, drawing.ry, drawing.angle, 0, 2 * Math.PI);
    } else tracePath(context, drawing.points, drawing.closed);
    if (isFilled && style.fill > 0) {
      context.globalAlpha = style.fill;
      context.fill();
    }
    context.globalAlpha = 1;
    context.stroke();
  }

  private drawMask(context: Context, points: readonly number[], color: string, style: PaintStyle): void {
    const [left = 0, top = 0] = points.slice(-4);
    const mask = this.maskCanvas(points, color);
    if (mask === undefined) return;
    context.globalAlpha = maskOpacity(style.fill);
    context.imageSmoothingEnabled = false;
    context.drawImage(mask, Math.max(left, 0), Math.max(top, 0));
  }

  private maskCanvas(points: readonly number[], color: string): OffscreenCanvas | undefined {
    const kept = this.masks.get(points);
    if (kept?.color === color) return kept.canvas;
    const pixels = maskPixels(points, this.image, Number.parseInt(color.slice(1), 16));
    if (pixels === undefined) return undefined;
    const canvas = new OffscreenCanvas(pixels.width, pixels.height);
    canvas.getContext('2d')?.putImageData(new ImageData(pixels.rgba, pixels.width, pixels.height), 0, 0);
    this.masks.set(points, { color, canvas });
    return canvas;
  }
}

function tracePath(context: Context, points: readonly number[], closed: boolean): void {
  context.moveTo(points[0] ?? 0, points[1] ?? 0);
  for (let i = 2; i < points.length; i += 2) context.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
  if (closed) context.closePath();
}

const intersects = (a: Bounds, b: Bounds, margin: number): boolean =>
  a.left <= b.right + margin && a.right >= b.left - margin && a.top <= b.bottom + margin && a.bottom >= b.top - margin;
