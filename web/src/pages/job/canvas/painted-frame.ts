import { Konva } from 'konva/lib/Core';
import { DEFAULT_SETTINGS, type Display } from '../settings/settings';
import { AnnotationLayer } from './annotation-layer';
import { type CanvasContent, NO_CONTENT } from './content';
import { FrameLayer } from './frame-layer';
import { drawGrid } from './grid';
import type { Painting } from './paintings';
import type { Size, View } from './viewport';

/** How long a frame waits for its annotations, so that both appear together. During playback it waits longer. */
const TOGETHER_MS = 200;
const TOGETHER_PLAYING_MS = 2000;

interface FrameHost {
  readonly container: HTMLElement;
  view(): View;
  screen(): Size;
  /** Another frame is visible now. @param size of its image */
  onSwap(size: Size): void;
  /** All layers must be drawn again. */
  redraw(): void;
}

/** The image of a frame, and its annotations as a worker has painted them. Both appear together. */
export class PaintedFrame {
  private readonly image: FrameLayer;
  private readonly ground = new Konva.Layer({ listening: false });
  private readonly annotations: AnnotationLayer;
  private content = NO_CONTENT;
  private display: Display = DEFAULT_SETTINGS;
  private shownSize = NO_CONTENT.size;
  /** The number of the visible frame, empty for none; undefined until one is shown. */
  private swapped: string | undefined;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private isPlaying = false;

  constructor(private readonly host: FrameHost) {
    this.image = new FrameLayer(() => host.view().scale);
    this.annotations = new AnnotationLayer(
      () => ({ view: host.view(), screen: host.screen() }),
      (painting) => this.insertPainting(painting),
    );
    this.ground.add(new Konva.Shape({ sceneFunc: (context) => this.draw(context._context) }));
  }

  /** Adds the frame as the lowest layers. */
  addTo(stage: Konva.Stage): void {
    stage.add(this.image.layer, this.ground);
  }

  /** Adds what is not drawn by Konva. The stage must have all layers by then. */
  attach(): void {
    this.image.addTo(this.host.container);
  }

  end(): void {
    clearTimeout(this.pending);
    this.annotations.end();
  }

  /** Shows a frame with its annotations, which appear together. @param isOther whether it is another frame or image */
  show(content: CanvasContent, isOther: boolean): void {
    this.content = content;
    this.annotations.setContent(content);
    if (isOther) {
      clearTimeout(this.pending);
      this.pending = setTimeout(() => this.swap(undefined), this.isPlaying ? TOGETHER_PLAYING_MS : TOGETHER_MS);
    }
    // The first frame is shown without waiting for annotations.
    const isFirst = this.image.isEmpty;
    const isReady = isFirst || this.annotations.isDirect || content.image === undefined;
    if (this.pending !== undefined && isReady) this.swap(undefined);
    this.annotations.order();
    this.host.redraw(); // removes the last painting if there is nothing to paint
  }

  /** Whether the content is not visible yet. */
  get isChanging(): boolean {
    return this.pending !== undefined;
  }

  /** While frames are played, none appears without its annotations. */
  setPlaying(isPlaying: boolean): void {
    this.isPlaying = isPlaying;
  }

  setDisplay(display: Display): void {
    this.display = display;
    this.image.setDisplay(display);
    this.annotations.setDisplay(display);
  }

  /** Paints the annotations for the visible part of the image. */
  order(): void {
    this.annotations.order();
  }

  /** @param keys of objects that are drawn elsewhere */
  paintWithout(keys: readonly string[]): void {
    const hidden = new Set(keys);
    const objects = this.content.objects.filter(({ object }) => !hidden.has(object.key));
    this.annotations.setContent({ ...this.content, objects });
    this.annotations.order();
    this.ground.batchDraw();
  }

  private insertPainting(painting: Painting): void {
    if (this.pending !== undefined) return this.swap(painting);
    this.annotations.show(painting);
    this.ground.batchDraw();
  }

  /** The frame changes, and its annotations with it. */
  private swap(painting: Painting | undefined): void {
    clearTimeout(this.pending);
    this.pending = undefined;
    const { image, size, frame } = this.content;
    this.annotations.show(painting);
    this.image.show(image, size);
    this.shownSize = size;
    this.swapped = image === undefined ? '' : String(frame);
    this.host.onSwap(size);
    this.host.redraw();
  }

  private draw(context: CanvasRenderingContext2D): void {
    drawGrid(context, this.display.grid, this.shownSize, this.host.view(), this.host.screen());
    this.annotations.draw(context);
    // Only now, because the image is drawn in the same animation frame.
    if (this.swapped !== undefined) this.host.container.dataset['frame'] = this.swapped;
  }
}
