import type { Point, Size } from '#shared/annotations/editing/geometry';
import {
  type Bitmap,
  type Box,
  boxOfImage,
  emptyBitmap,
  maskBitmap,
  maskPoints,
  partOf,
  trimmedPoints,
} from '#shared/annotations/mask';
import { type Brush, paintPolygon, paintStroke, type Pixel } from './mask-raster';

/** The pixels of a box before and after a step, in the form of masks, which is short. */
interface PaintingStep {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * A mask while it is painted: a bitmap of the entire image. A step (a stroke, a polygon) is undone as a whole. What a
 * stroke costs depends on its size, not on that of the image.
 */
export class MaskPainting {
  readonly bitmap: Bitmap;
  /** The pixels before the current step. */
  private readonly settled: Uint8Array;
  private readonly done: PaintingStep[] = [];
  private readonly undone: PaintingStep[] = [];
  /** Contains all foreground. */
  private extent: Box | undefined;
  /** What the current step has changed. */
  private changed: Box | undefined;
  /** What has changed since it was shown. */
  private dirty: Box | undefined;

  /** @param points of the mask to edit */
  constructor(image: Size, points: readonly number[] = []) {
    this.bitmap = emptyBitmap(boxOfImage(image));
    this.settled = new Uint8Array(this.bitmap.pixels.length);
    if (points.length > 0) this.put(points);
  }

  get hasSteps(): boolean {
    return this.done.length > 0;
  }

  stroke(from: Point, to: Point, brush: Brush, pixel: Pixel): void {
    this.mark(paintStroke(this.bitmap, from, to, brush, pixel));
  }

  fill(polygon: readonly number[], pixel: Pixel): void {
    this.mark(paintPolygon(this.bitmap, polygon, pixel));
  }

  /** Adds what was painted since the last step to the history, unless it changed nothing. */
  endStep(): void {
    const box = this.changed;
    this.changed = undefined;
    if (box === undefined) return;
    const before = maskPoints(partOf({ ...this.bitmap, pixels: this.settled }, box));
    const after = maskPoints(partOf(this.bitmap, box));
    if (before.length === after.length && before.every((run, at) => run === after[at])) return;
    this.settle(box);
    this.done.push({ before, after });
    this.undone.length = 0;
  }

  /** Removes what was painted since the last step. */
  cancelStep(): void {
    const box = this.changed;
    this.changed = undefined;
    if (box !== undefined) this.put(maskPoints(partOf({ ...this.bitmap, pixels: this.settled }, box)));
  }

  /** @returns false if there is nothing to undo */
  undo(): boolean {
    const step = this.done.pop();
    if (step === undefined) return false;
    this.put(step.before);
    this.undone.push(step);
    return true;
  }

  /** @returns false if there is nothing to redo */
  redo(): boolean {
    const step = this.undone.pop();
    if (step === undefined) return false;
    this.put(step.after);
    this.done.push(step);
    return true;
  }

  /** The box that has changed since the last call. */
  takeDirty(): Box | undefined {
    const { dirty } = this;
    this.dirty = undefined;
    return dirty;
  }

  /** The points of the mask; undefined if it is empty. */
  points(): number[] | undefined {
    return this.extent && trimmedPoints(partOf(this.bitmap, this.extent));
  }

  /** Replaces the pixels of a box by those of a mask. */
  private put(points: readonly number[]): void {
    const part = maskBitmap(points, this.bitmap);
    if (part === undefined) return;
    const { width, pixels } = this.bitmap;
    for (let y = 0; y < part.height; y += 1) {
      const row = part.pixels.subarray(y * part.width, (y + 1) * part.width);
      pixels.set(row, (part.top + y) * width + part.left);
    }
    this.settle(part);
    this.dirty = around(this.dirty, part);
    this.extent = around(this.extent, part);
  }

  private settle({ left, top, right, bottom }: Box): void {
    const { width, pixels } = this.bitmap;
    for (let y = top; y <= bottom; y += 1) {
      this.settled.set(pixels.subarray(y * width + left, y * width + right + 1), y * width + left);
    }
  }

  private mark(box: Box | undefined): void {
    if (box === undefined) return;
    this.changed = around(this.changed, box);
    this.dirty = around(this.dirty, box);
    this.extent = around(this.extent, box);
  }
}

/** The smallest box around both. */
function around(a: Box | undefined, { left, top, right, bottom }: Box): Box {
  if (a === undefined) return { left, top, right, bottom };
  return {
    left: Math.min(a.left, left),
    top: Math.min(a.top, top),
    right: Math.max(a.right, right),
    bottom: Math.max(a.bottom, bottom),
  };
}
