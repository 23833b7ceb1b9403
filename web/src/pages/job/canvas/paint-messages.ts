import type { PaintedObject, PaintStyle } from './painter';
import type { Region, Size } from './viewport';

/** What there is to be painted from now on. */
export interface PaintScene {
  readonly kind: 'scene';
  readonly version: number;
  readonly image: Size;
  readonly objects: readonly PaintedObject[];
}

export interface PaintOrder {
  readonly kind: 'paint';
  readonly version: number;
  readonly region: Region;
  readonly style: PaintStyle;
}

export type PaintMessage = PaintScene | PaintOrder;

/** A part of a scene, painted. */
export interface PaintingMessage {
  readonly version: number;
  readonly region: Region;
  readonly bitmap: ImageBitmap;
}
