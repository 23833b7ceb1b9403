import type { PaintedObject, PaintStyle } from './painter';
import type { PaintingMessage, PaintMessage } from './paint-messages';
import type { Region, Size } from './viewport';

/** A painted part of a scene on a canvas. */
export interface Painting {
  readonly version: number;
  readonly region: Region;
  readonly canvas: HTMLCanvasElement;
}

/** Requests paintings from the worker, one at a time. Of pending requests, only the last one is sent. */
export class Paintings {
  private readonly worker = new Worker(new URL('./paint-worker.ts', import.meta.url), { type: 'module' });
  private version = 0;
  private isWaiting = false;
  private next: { region: Region; style: PaintStyle } | undefined;

  /** @param onPainted called for the current scene only */
  constructor(onPainted: (painting: Painting) => void) {
    this.worker.addEventListener('message', ({ data }: MessageEvent<PaintingMessage>) => {
      const { version, region, bitmap } = data;
      if (version === this.version) onPainted({ version, region, canvas: copyOf(bitmap) });
      bitmap.close();
      if (version !== this.version) return;
      this.isWaiting = false;
      const { next } = this;
      if (next !== undefined) this.order(next.region, next.style);
    });
  }

  /** @returns the version that paintings of the scene will have */
  setScene(image: Size, objects: readonly PaintedObject[]): number {
    this.version += 1;
    this.isWaiting = false;
    this.next = undefined;
    this.post({ kind: 'scene', version: this.version, image, objects });
    return this.version;
  }

  order(region: Region, style: PaintStyle): void {
    if (this.isWaiting) {
      this.next = { region, style };
      return;
    }
    this.next = undefined;
    this.isWaiting = true;
    this.post({ kind: 'paint', version: this.version, region, style });
  }

  end(): void {
    this.worker.terminate();
  }

  private post(message: PaintMessage): void {
    this.worker.postMessage(message, []); // workers take no target origin
  }
}

/** Copies a bitmap to a canvas: without a GPU, drawing bitmaps from a worker repeatedly is slow. */
function copyOf(bitmap: ImageBitmap): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  return canvas;
}
