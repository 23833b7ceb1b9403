import { Painter } from './painter';
import type { PaintMessage, PaintingMessage, PaintOrder, PaintScene } from './paint-messages';

/**
 * Paints annotations in a worker, so that thousands of them do not block zooming and panning. Of pending requests, only
 * the last one is processed.
 */
let scene: PaintScene | undefined;
let painter: Painter | undefined;
let order: PaintOrder | undefined;
let isDue = false;

const post = (message: PaintingMessage, transfer: Transferable[]): void =>
  (self as unknown as Worker).postMessage(message, transfer);

self.addEventListener('message', ({ data }: MessageEvent<PaintMessage>) => {
  if (data.kind === 'scene') {
    scene = data;
    painter = new Painter(data.image);
    return;
  }
  order = data;
  if (isDue) return;
  isDue = true;
  setTimeout(carryOut);
});

function carryOut(): void {
  isDue = false;
  if (order === undefined || scene === undefined || painter === undefined || order.version !== scene.version) return;
  const { region, style, version } = order;
  order = undefined;
  const canvas = new OffscreenCanvas(region.width, region.height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser does not support OffscreenCanvas.');
  painter.paint(context, region, scene.objects, style);
  const bitmap = canvas.transferToImageBitmap();
  post({ version, region, bitmap }, [bitmap]);
}
