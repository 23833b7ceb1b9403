import { Konva } from 'konva/lib/Core';
import type { Display, ImageAdjustments } from '../settings/settings';
import { drawFrameImage } from './frame-image';
import type { Size } from './viewport';

const SVG = 'http://www.w3.org/2000/svg';
const GAMMA_ID = 'frame-gamma';

/**
 * The image of the frame on a canvas of its own, so that a CSS filter can adjust it without its annotations. The browser
 * applies the filter when it composes the page: frames need no work of their own.
 */
export class FrameLayer {
  readonly layer = new Konva.Layer({ listening: false });
  private image: ImageBitmap | undefined;
  private size: Size = { width: 1, height: 1 };
  private isSmooth = false;
  private readonly gamma = document.createElementNS(SVG, 'svg');

  /** @param scale screen pixels per pixel of the image */
  constructor(private readonly scale: () => number) {
    this.layer.add(new Konva.Shape({ sceneFunc: (context) => this.draw(context._context) }));
    this.gamma.setAttribute('width', '0');
    this.gamma.setAttribute('height', '0');
    this.gamma.setAttribute('aria-hidden', 'true');
    this.gamma.style.position = 'absolute';
  }

  /** Adds the definition of the gamma filter to the page. */
  addTo(container: HTMLElement): void {
    container.append(this.gamma);
  }

  show(image: ImageBitmap | undefined, size: Size): void {
    this.image = image;
    this.size = size;
  }

  get isEmpty(): boolean {
    return this.image === undefined;
  }

  setDisplay({ image, isSmooth }: Display): void {
    this.isSmooth = isSmooth;
    const canvas = this.layer.getNativeCanvasElement();
    this.gamma.replaceChildren(gammaFilter(image.gamma));
    canvas.style.filter = filterOf(image);
    this.layer.batchDraw();
  }

  private draw(context: CanvasRenderingContext2D): void {
    const { image, size } = this;
    // An image that was closed has no size.
    if (image !== undefined && image.width > 0) drawFrameImage(context, image, size, this.scale(), this.isSmooth);
  }
}

/** @returns a CSS filter, empty if nothing is adjusted */
export function filterOf({ brightness, contrast, saturation, gamma }: ImageAdjustments): string {
  return [
    ...(brightness === 100 ? [] : [`brightness(${brightness}%)`]),
    ...(contrast === 100 ? [] : [`contrast(${contrast}%)`]),
    ...(saturation === 100 ? [] : [`saturate(${saturation}%)`]),
    ...(gamma === 1 ? [] : [`url("#${GAMMA_ID}")`]),
  ].join(' ');
}

/** CSS has no gamma correction, but SVG has. */
function gammaFilter(gamma: number): SVGElement {
  const filter = document.createElementNS(SVG, 'filter');
  filter.id = GAMMA_ID;
  filter.setAttribute('color-interpolation-filters', 'sRGB');
  const transfer = document.createElementNS(SVG, 'feComponentTransfer');
  for (const channel of ['R', 'G', 'B']) {
    const curve = document.createElementNS(SVG, `feFunc${channel}`);
    curve.setAttribute('type', 'gamma');
    curve.setAttribute('exponent', String(1 / gamma));
    transfer.append(curve);
  }
  filter.append(transfer);
  return filter;
}
