import { TooManyPairs } from './assignment.js';

export interface PairLimits {
  /** In comparisons of two shapes or two edges. */
  readonly work: number;
  /** How many results may be held in memory. */
  readonly kept: number;
}

/**
 * The work of finding the duplicates of one frame takes about two seconds: a thousand shapes that overlap each other on
 * each side take a million. The pairs take about 50 MB.
 */
const DUPLICATES: PairLimits = { work: 50_000_000, kept: 500_000 };

/** Boxes that are looked at in the time of one comparison. */
const BOXES_AT_ONCE = 16;

/** The work of one step: about a tenth of a millisecond. */
const STEP = 10_000;

/** Limits the work for one frame, so that annotations which all overlap each other do not block the server. */
export class PairBudget {
  private work = 0;
  private kept = 0;
  private stepStart = 0;

  constructor(private readonly limits = DUPLICATES) {}

  /** @throws TooManyPairs */
  readonly spend = (work: number): void => {
    this.work += work;
    if (this.work > this.limits.work) throw new TooManyPairs();
  };

  /** Counts boxes that were looked at to find neighbours. @throws TooManyPairs */
  readonly scan = (boxes: number): void => this.spend(boxes / BOXES_AT_ONCE);

  /** Whether it is time to let other work have its turn; at most once per {@link STEP}. */
  get isStepOver(): boolean {
    if (this.work - this.stepStart < STEP) return false;
    this.stepStart = this.work;
    return true;
  }

  /** Counts results that are kept, such as a pair. @throws TooManyPairs */
  keep(results = 1): void {
    this.kept += results;
    if (this.kept > this.limits.kept) throw new TooManyPairs();
  }
}
