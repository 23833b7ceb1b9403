import type { DatasetFrame } from '../dataset.js';
import { FormatError, shown } from '../format.js';

/** The work of drawing the shapes of one image, in rows and columns of pixels: two or three seconds. */
const MAX_WORK = 50_000_000;
/** The runs of all shapes of one image, which are held in memory: 200 MB. */
const MAX_RUNS = 2 ** 24;

/** Limits the work of drawing the shapes of one image. */
export class DrawingBudget {
  private work = 0;
  private runs = 0;

  constructor(private readonly frame: Pick<DatasetFrame, 'name'>) {}

  /** @param work rows and columns that a shape has @param runs of its pixels @throws FormatError that names the image */
  spend(work: number, runs: number): void {
    this.work += work + runs;
    this.runs += runs;
    if (this.work > MAX_WORK || this.runs > MAX_RUNS) this.refuse('its shapes are too many and too large');
  }

  refuse(fault: string, cause?: unknown): never {
    throw new FormatError(`The image ${shown(this.frame.name)} cannot be drawn: ${fault}. Remove shapes, or simplify them.`, { cause }); // prettier-ignore
  }
}
