import type { FirstFrame } from '../frames/opening';
import { drawFrameImage } from './frame-image';
import { fitView } from './viewport';

let early: HTMLCanvasElement | undefined;

/**
 * Shows a frame before the app has started, at the position where the canvas will show it.
 * @returns once it is visible, or immediately if the app has started
 */
export async function showEarly({ number, image, size }: FirstFrame): Promise<void> {
  const root = document.querySelector('#root');
  if (root === null || root.hasChildNodes()) return;
  const place = document.createElement('div');
  const canvas = document.createElement('canvas');
  place.className = 'early-job';
  place.append(canvas);
  root.append(place);
  const screen = { width: canvas.clientWidth, height: canvas.clientHeight };
  const ratio = window.devicePixelRatio;
  canvas.width = screen.width * ratio;
  canvas.height = screen.height * ratio;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { scale, x, y } = fitView(size, screen);
  context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
  drawFrameImage(context, image, size, scale, false);
  canvas.dataset['frame'] = String(number);
  early = canvas;
  await painted();
}

/** The early image, which the canvas shows until it has drawn the frame itself. */
export function takeEarly(): HTMLCanvasElement | undefined {
  const taken = early;
  early = undefined;
  return taken;
}

/** Resolves once the browser has rendered the page. */
const painted = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
