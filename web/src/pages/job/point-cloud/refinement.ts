/** Points per frame at first. */
const FIRST_BUDGET = 100_000;
const MIN_BUDGET = 20_000;
const MAX_BUDGET = 4_000_000;
/** The budget shrinks when a frame takes longer than this, and grows otherwise. */
const FRAME_MS = 24;

/**
 * Draws views in steps: a view that changes shows a sample of the points at once, and more in each following frame until it
 * shows all. The number of points per frame adapts to the speed of the machine. Without changes, no frame is requested.
 */
export class Refinement<View> {
  /** Views that are not complete, with the number of points they show. */
  private readonly views = new Map<View, number>();
  private request: number | undefined;
  private budget = FIRST_BUDGET;
  private last = 0;

  /**
   * @param draw draws `count` points from the index `from` on; 0 starts anew. Returns the number of points in all.
   * @param onComplete called with false when a view changes, and with true when all views show all points
   */
  constructor(
    private readonly draw: (view: View, from: number, count: number) => number,
    private readonly onComplete: (isComplete: boolean) => void,
  ) {}

  /** Draws a view anew. */
  restart(view: View): void {
    this.views.set(view, 0);
    this.onComplete(false);
    this.request ??= requestAnimationFrame((now) => this.frame(now, true));
  }

  end(): void {
    if (this.request !== undefined) cancelAnimationFrame(this.request);
    this.views.clear();
  }

  private frame(now: number, isFirst: boolean): void {
    if (!isFirst) this.adapt(now - this.last);
    this.last = now;
    const share = Math.ceil(this.budget / Math.max(this.views.size, 1));
    for (const [view, from] of this.views) {
      const all = this.draw(view, from, share);
      if (from + share < all) this.views.set(view, from + share);
      else this.views.delete(view);
    }
    if (this.views.size === 0) this.onComplete(true);
    this.request = this.views.size === 0 ? undefined : requestAnimationFrame((next) => this.frame(next, false));
  }

  private adapt(elapsed: number): void {
    if (elapsed > FRAME_MS) this.budget = Math.max(MIN_BUDGET, this.budget * 0.8);
    else this.budget = Math.min(MAX_BUDGET, this.budget * 1.25);
  }
}
