import type { Point } from '#shared/annotations/editing/geometry';
import type { Bounds } from '../scene/drawing';
import { fitBounds, fitView, inSight, panBy, type Size, toImage, turnView, type View, zoomAt } from './viewport';

const REVEALED_SCALE = 8;

/** The visible part of the frame. */
export class Camera {
  private now: View = { scale: 1, angle: 0, x: 0, y: 0 };
  private image: Size = { width: 1, height: 1 };
  /** What is fitted to the screen; undefined after the user has moved the view. */
  private fitted: 'frame' | Bounds | undefined = 'frame';

  /**
   * @param screen size of the canvas on the page
   * @param onLook called after every movement
   */
  constructor(
    private readonly screen: () => Size,
    private readonly onLook: (view: View) => void,
  ) {}

  get view(): View {
    return this.now;
  }

  toImage(at: Point): Point {
    return toImage(this.now, at);
  }

  /** Switches to another frame. A frame of another size is fitted to the screen. */
  setImage(size: Size): void {
    const isSame = size.width === this.image.width && size.height === this.image.height;
    this.image = size;
    if (!isSame) this.fitAgain();
  }

  /** Fits the frame to the screen. */
  fit(): void {
    this.fitted = 'frame';
    this.look(fitView(this.image, this.screen(), this.now.angle));
  }

  /** Fits a part of the frame to the middle of the screen. Undefined: the whole frame. */
  focus(bounds: Bounds | undefined): void {
    if (bounds === undefined) return this.fit();
    const { width, height } = this.screen();
    this.fitted = bounds;
    const options = { angle: this.now.angle, margin: Math.min(width, height) / 4, most: REVEALED_SCALE };
    this.look(fitBounds(bounds, this.screen(), options));
  }

  private fitAgain(): void {
    this.focus(typeof this.fitted === 'object' ? this.fitted : undefined);
  }

  /** Turns the frame. What is fitted to the screen is fitted again. */
  rotate(by: 90 | -90): void {
    this.now = turnView(this.now, by, this.screen());
    this.resized();
  }

  /** Handles a new size of the canvas. */
  resized(): void {
    if (this.fitted !== undefined) this.fitAgain();
    else this.look(panBy(this.now, 0, 0, this.image, this.screen()));
  }

  zoomAt(factor: number, at: Point): void {
    this.fitted = undefined;
    this.look(zoomAt(this.now, factor, at, this.image, this.screen()));
  }

  /** Zooms at the centre of the screen. */
  zoomBy(factor: number): void {
    const { width, height } = this.screen();
    this.zoomAt(factor, { x: width / 2, y: height / 2 });
  }

  /** @param dx, dy in screen pixels */
  panBy(dx: number, dy: number): void {
    this.fitted = undefined;
    this.look(panBy(this.now, dx, dy, this.image, this.screen()));
  }

  /** Moves to a part of the frame if it is out of sight. */
  reveal(bounds: Bounds): void {
    const { left, top, right, bottom } = inSight(this.now, this.screen());
    if (bounds.left < right && bounds.top < bottom && bounds.right > left && bounds.bottom > top) return;
    this.focus(bounds);
  }

  private look(view: View): void {
    this.now = view;
    this.onLook(view);
  }
}
