import { TooManyPairs } from './assignment.js';

/**
 * The work of comparing the annotations of one frame, in comparisons of two shapes or two edges: about two seconds. A
 * thousand shapes that overlap each other on each side take a million.
 */
const MAX_WORK = 50_000_000;

/** Boxes that are looked at in the time of one comparison. */
const BOXES_AT_ONCE = 16;

/** How many similar pairs are kept: they take about 50 MB. */
const MAX_PAIRS = 500_000;

/** The work of one step: about a tenth of a millisecond. */
const STEP = 10_000;

/** Limits the work for one frame, so that annotations which all overlap each other do not block the server. */
export class PairBudget {
  private work = 0;
  private pairs = 0;
  private stepStart = 0;

  /** @throws TooManyPairs */
  readonly spend = (work: number): void => {
    this.work += work;
    if (this.work > MAX_WORK) throw new TooManyPairs();
  };

  /** Counts boxes that were looked at to find neighbours. @throws TooManyPairs */
  readonly scan = (boxes: number): void => this.spend(boxes / BOXES_AT_ONCE);

  /** Whether it is time to let other work have its turn; at most once per {@link STEP}. */
  get isStepOver(): boolean {
    if (this.work - this.stepStart < STEP) return false;
    this.stepStart = this.work;
    return true;
  }

  /** Counts a pair that is kept. @throws TooManyPairs */
  keep(): void {
    if (++this.pairs > MAX_PAIRS) throw new TooManyPairs();
  }
}
