import type { Brush } from './mask-raster';

export const MASK_MODES = ['brush', 'eraser', 'polygon-plus', 'polygon-minus'] as const;
export type MaskMode = (typeof MASK_MODES)[number];

interface MaskValues extends Brush {
  readonly mode: MaskMode;
  /** Whether the pixels of a finished mask are removed from the other masks of the frame. */
  readonly removesUnderlying: boolean;
  /** Whether a finished mask is stored as polygons. */
  readonly convertsToPolygons: boolean;
  /** Whether the mask being drawn is hidden, to see the image under it. */
  readonly isHidden: boolean;
}

/** In pixels of the image. */
export const MAX_BRUSH = 1000;
const SIZE_STEP = 1.12;

/** The options of the mask tool. They last until the page is left. */
export class MaskOptions {
  private current: MaskValues = {
    mode: 'brush',
    size: 20,
    form: 'round',
    removesUnderlying: false,
    convertsToPolygons: false,
    isHidden: false,
  };
  private readonly listeners = new Set<() => void>();

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): MaskValues => this.current;

  get values(): MaskValues {
    return this.current;
  }

  set(values: Partial<MaskValues>): void {
    this.current = { ...this.current, ...values };
    for (const listener of this.listeners) listener();
  }

  /** Makes the brush larger or smaller, by a pixel at least. */
  resize(by: 1 | -1): void {
    const { size } = this.current;
    const step = Math.max(1, Math.round(size * (SIZE_STEP - 1)));
    this.set({ size: Math.max(1, Math.min(MAX_BRUSH, size + by * step)) });
  }
}
