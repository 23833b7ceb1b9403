import { Konva } from 'konva/lib/Core';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { type CanvasContent, DOT, painted, type ShownObject } from './content';
import { type PaintedObject, Painter, type PaintStyle } from './painter';
import { type Painting, Paintings } from './paintings';
import { textOf } from './texts';
import { covers, type Region, regionOf, type Size, type View } from './viewport';

/** Time without movement after which annotations are painted at full resolution. */
const SETTLED_MS = 120;
/** Interval between paintings while the view moves. */
const PAUSE_MS = 150;
/** Up to so many coordinates, drawing the annotations takes less time than the bitmap of a painting. */
const MAX_DIRECT = 2000;

/** Annotations that are drawn with each movement. */
interface DirectAnnotations {
  readonly painter: Painter;
  readonly objects: readonly PaintedObject[];
}

/**
 * Shows the annotations. A few are drawn directly. For more it shows the last painting of the worker, and decides when to
 * paint again.
 */
export class AnnotationLayer {
  private readonly paintings: Paintings;
  private content: Pick<CanvasContent, 'size' | 'objects'> = { size: { width: 1, height: 1 }, objects: [] };
  private display: Display = DEFAULT_SETTINGS;
  /** The annotations, if they are drawn directly. */
  private direct: DirectAnnotations | undefined;
  private shown: Painting | DirectAnnotations | undefined;
  private paintedAt = 0;
  private version = 0;
  private settling: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param sight the visible part of the frame
   * @param onPainted called when a painting is ready. `show` displays it.
   */
  constructor(
    private readonly sight: () => { readonly view: View; readonly screen: Size },
    onPainted: (painting: Painting) => void,
  ) {
    this.paintings = new Paintings((painting) => {
      this.paintedAt = performance.now();
      onPainted(painting);
      this.order();
    });
  }

  end(): void {
    clearTimeout(this.settling);
    this.paintings.end();
  }

  setContent({ size, objects }: Pick<CanvasContent, 'size' | 'objects'>): void {
    this.content = { size, objects };
    const { texts } = this.display;
    const textFor = ({ object }: ShownObject): string[] => (texts.which === 'all' ? textOf(object, texts) : []);
    const drawn = objects.flatMap((shown) => painted(shown, textFor(shown)));
    this.direct = isFew(drawn) ? { painter: new Painter(size), objects: drawn } : undefined;
    if (this.direct === undefined) this.version = this.paintings.setScene(size, drawn);
  }

  setDisplay(display: Display): void {
    const { fill, outline, texts } = this.display;
    this.display = display;
    if (fill === display.fill && outline === display.outline && texts === display.texts) return;
    this.setContent(this.content);
    this.order();
  }

  /** Whether the annotations can be shown without a painting. */
  get isDirect(): boolean {
    return this.direct !== undefined;
  }

  /** @param painting undefined until the annotations of a new frame are painted, and if they are drawn directly */
  show(painting: Painting | undefined): void {
    this.shown = this.direct ?? painting;
  }

  /** Paints the annotations: immediately if parts are missing, otherwise at full resolution once the view rests. */
  order(): void {
    clearTimeout(this.settling);
    if (this.direct !== undefined) {
      this.shown = this.direct;
      return;
    }
    const shown = this.painting();
    const isCurrent = shown?.version === this.version;
    const { view, screen } = this.sight();
    const isEnough = isCurrent && covers(shown.region, view, screen, Konva.pixelRatio);
    // During continuous movement, limit painting so that movement stays smooth.
    const rest = isCurrent ? this.paintedAt + PAUSE_MS - performance.now() : 0;
    if (isEnough) this.settling = setTimeout(() => this.paint(), SETTLED_MS);
    else if (rest > 0) this.settling = setTimeout(() => this.paint(), rest);
    else this.paint();
  }

  draw(context: CanvasRenderingContext2D): void {
    const { shown } = this;
    if (shown === undefined) return;
    if ('painter' in shown) {
      shown.painter.drawAll(context, shown.objects, this.sight().view, this.style(1));
      return;
    }
    const { left, top, width, height, scale } = shown.region;
    context.imageSmoothingEnabled = true;
    context.drawImage(shown.canvas, left, top, width / scale, height / scale);
  }

  private painting(): Painting | undefined {
    return this.shown !== undefined && 'region' in this.shown ? this.shown : undefined;
  }

  private paint(): void {
    const ratio = Konva.pixelRatio;
    const { view, screen } = this.sight();
    const region = regionOf(view, screen, ratio);
    const shown = this.painting();
    if (shown?.version === this.version && isSame(shown.region, region)) return;
    this.paintings.order(region, this.style(ratio));
  }

  /** @param ratio pixels of the canvas per screen pixel */
  private style(ratio: number): PaintStyle {
    const { fill, outline, texts } = this.display;
    return {
      fill,
      line: outline * ratio,
      dot: DOT * ratio,
      text: { size: texts.size * ratio, where: texts.where },
    };
  }
}

/** Masks are always painted by the worker, as they have many pixels. */
function isFew(objects: readonly PaintedObject[]): boolean {
  let count = 0;
  for (const { drawings } of objects) {
    for (const drawing of drawings) {
      if (drawing.kind === 'mask') return false;
      count += drawing.kind === 'ellipse' ? 10 : 10 + drawing.points.length;
    }
    if (count > MAX_DIRECT) return false;
  }
  return true;
}

const isSame = (a: Region, b: Region): boolean =>
  a.left === b.left &&
  a.top === b.top &&
  a.scale === b.scale &&
  a.angle === b.angle &&
  a.width === b.width &&
  a.height === b.height;
