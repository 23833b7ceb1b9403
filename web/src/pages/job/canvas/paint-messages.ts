import type { PaintedObject, PaintStyle } from './painter';
import type { Region, Size } from './viewport';

/** Sets the scene to paint. */
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

/** A painted part of a scene. */
export interface PaintingMessage {
  readonly version: number;
  readonly region: Region;
  readonly bitmap: ImageBitmap;
}
