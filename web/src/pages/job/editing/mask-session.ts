import type { Point, Size } from '#shared/annotations/editing/geometry';
import { MaskPainting } from './mask-painting';
import type { Brush } from './mask-raster';
import type { MaskMode, MaskOptions } from './mask-options';
import { Sketch } from './sketch';

/** A mask while the user draws or edits it: the painting, and the polygon that is being added to it. */
export class MaskSession {
  readonly painting: MaskPainting;
  private polygon: Sketch | undefined;
  /** Where the current stroke is. */
  private stroke: Point | undefined;
  private readonly listeners = new Set<() => void>();
  /** Called when the painting has changed by an entire step. */
  onStep: () => void = () => undefined;

  /**
   * @param image size of the frame
   * @param points of the mask to edit; undefined for a new one
   */
  constructor(
    private readonly image: Size,
    readonly options: MaskOptions,
    points?: readonly number[],
  ) {
    this.painting = new MaskPainting(image, points);
  }

  /** Calls the listener when the canvas must be updated. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    const unsubscribe = this.options.subscribe(listener);
    return () => {
      this.listeners.delete(listener);
      unsubscribe();
    };
  }

  /** The brush; undefined while polygons are drawn. */
  get brush(): Brush | undefined {
    return isPolygon(this.options.values.mode) ? undefined : this.options.values;
  }

  /** The vertices of the polygon so far, and the position of the pointer, as a flat list. */
  get outline(): readonly number[] {
    return this.polygon?.preview?.points ?? [];
  }

  /** Starts a stroke, or nothing while polygons are drawn. */
  press(at: Point): void {
    if (this.brush === undefined) return;
    this.stroke = at;
    this.strokeTo(at);
  }

  /** Moves the pointer with its button down. */
  drag(at: Point, scale: number): void {
    if (this.brush !== undefined) return this.strokeTo(at);
    if (this.polygon === undefined) this.addVertex(at);
    this.moveTo(at, true, scale);
  }

  /** Ends the stroke, or adds a vertex to the polygon. */
  release(at: Point): void {
    if (this.brush === undefined) this.addVertex(at);
    else {
      this.strokeTo(at);
      this.stroke = undefined;
      this.painting.endStep();
      this.onStep();
    }
    this.notify();
  }

  /** Moves the pointer. @param isFreehand whether this draws the polygon */
  moveTo(at: Point, isFreehand: boolean, scale: number): void {
    if (this.polygon === undefined) return;
    if (isFreehand) this.polygon.drawTo(at, 1 / scale);
    else this.polygon.moveTo(at);
    this.notify();
  }

  /** Removes the stroke or the polygon that is being drawn. @returns false if there is none */
  cancel(): boolean {
    const isDrawing = this.stroke !== undefined || this.polygon !== undefined;
    this.stroke = undefined;
    this.polygon = undefined;
    this.painting.cancelStep();
    this.notify();
    return isDrawing;
  }

  /** Removes the last vertex of the polygon. @returns false if there is none */
  removeVertex(): boolean {
    if (this.polygon === undefined) return false;
    this.polygon.back();
    if (this.polygon.isEmpty) this.polygon = undefined;
    this.notify();
    return true;
  }

  /** Adds the polygon to the mask, or subtracts it. @returns false if no polygon was being drawn */
  finishPolygon(): boolean {
    const { polygon } = this;
    if (polygon === undefined) return false;
    const points = polygon.finish();
    if (points === undefined) return true;
    this.polygon = undefined;
    this.painting.fill(points, this.options.values.mode === 'polygon-minus' ? 0 : 1);
    this.painting.endStep();
    this.onStep();
    this.notify();
    return true;
  }

  /** Completes what is being drawn. */
  finish(): void {
    this.finishPolygon();
    this.stroke = undefined;
    this.painting.endStep();
  }

  /** @returns false if there is nothing to undo */
  undo(): boolean {
    const isUndone = this.removeVertex() || (this.stroke === undefined && this.painting.undo());
    this.onStep();
    this.notify();
    return isUndone;
  }

  /** @returns false if there is nothing to redo */
  redo(): boolean {
    const isRedone = this.stroke === undefined && this.painting.redo();
    this.onStep();
    this.notify();
    return isRedone;
  }

  /** Ends the polygon that is being drawn before the mode changes. */
  setMode(mode: MaskMode): void {
    this.finishPolygon();
    this.cancel();
    this.options.set({ mode });
  }

  private addVertex(at: Point): void {
    this.polygon ??= new Sketch('polygon', this.image);
    this.polygon.click(at);
  }

  private strokeTo(at: Point): void {
    const { brush, stroke } = this;
    if (brush === undefined || stroke === undefined) return;
    this.painting.stroke(stroke, at, brush, this.options.values.mode === 'eraser' ? 0 : 1);
    this.stroke = at;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

const isPolygon = (mode: MaskMode): boolean => mode === 'polygon-plus' || mode === 'polygon-minus';
