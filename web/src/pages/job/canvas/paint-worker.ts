import { Painter } from './painter';
import type { PaintMessage, PaintingMessage, PaintOrder, PaintScene } from './paint-messages';

/**
 * Paints annotations off the page's thread, so that thousands of them do not hold up zooming and panning. Of orders that
 * wait only the last is carried out.
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
  if (context === null) throw new Error('This browser has no canvas for workers.');
  painter.paint(context, region, scene.objects, style);
  const bitmap = canvas.transferToImageBitmap();
  post({ version, region, bitmap }, [bitmap]);
}
