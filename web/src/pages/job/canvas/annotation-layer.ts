import { Konva } from 'konva/lib/Core';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { type CanvasContent, DOT, painted, type ShownObject } from './content';
import { type Painting, Paintings } from './paintings';
import { textOf } from './texts';
import { covers, type Region, regionOf, type Size, type View } from './viewport';

/** Time without movement after which annotations are painted at full resolution. */
const SETTLED_MS = 120;
/** Interval between paintings while the view moves. */
const PAUSE_MS = 150;

/** Shows the last painting of the annotations from the worker, and decides when to paint again. */
export class AnnotationLayer {
  private readonly paintings: Paintings;
  private content: Pick<CanvasContent, 'size' | 'objects'> = { size: { width: 1, height: 1 }, objects: [] };
  private display: Display = DEFAULT_SETTINGS;
  private shown: Painting | undefined;
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
    this.version = this.paintings.setScene(
      size,
      objects.flatMap((shown) => painted(shown, textFor(shown))),
    );
  }

  setDisplay(display: Display): void {
    const { fill, outline, texts } = this.display;
    this.display = display;
    if (fill === display.fill && outline === display.outline && texts === display.texts) return;
    this.setContent(this.content);
    this.order();
  }

  /** @param painting undefined until the annotations of a new frame are painted */
  show(painting: Painting | undefined): void {
    this.shown = painting;
  }

  /** Paints the annotations: immediately if parts are missing, otherwise at full resolution once the view rests. */
  order(): void {
    clearTimeout(this.settling);
    const { shown } = this;
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
    if (this.shown === undefined || this.content.objects.length === 0) return;
    const { left, top, width, height, scale } = this.shown.region;
    context.imageSmoothingEnabled = true;
    context.drawImage(this.shown.canvas, left, top, width / scale, height / scale);
  }

  private paint(): void {
    const ratio = Konva.pixelRatio;
    const { view, screen } = this.sight();
    const region = regionOf(view, screen, ratio);
    if (this.shown?.version === this.version && isSame(this.shown.region, region)) return;
    if (this.content.objects.length === 0) return;
    const { fill, outline, texts } = this.display;
    const text = { size: texts.size * ratio, where: texts.where };
    this.paintings.order(region, { fill, line: outline * ratio, dot: DOT * ratio, text });
  }
}

const isSame = (a: Region, b: Region): boolean =>
  a.left === b.left &&
  a.top === b.top &&
  a.scale === b.scale &&
  a.angle === b.angle &&
  a.width === b.width &&
  a.height === b.height;
