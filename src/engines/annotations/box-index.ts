import type { Box } from '../../shared/annotations/mask.js';

/**
 * Boxes sorted by their left side, so that on a crowded frame only neighbours are compared. They are kept by width, so that
 * a wide one does not make every search longer.
 */
export class BoxIndex {
  private readonly groups: readonly Group[];

  /** @param boxes undefined ones overlap nothing */
  constructor(boxes: readonly (Box | undefined)[]) {
    const byWidth = new Map<number, number[]>();
    for (const [position, box] of boxes.entries()) {
      if (box === undefined) continue;
      const width = Math.max(-1074, Math.floor(Math.log2(box.right - box.left)));
      const others = byWidth.get(width);
      if (others === undefined) byWidth.set(width, [position]);
      else others.push(position);
    }
    this.groups = Array.from(byWidth.values(), (positions) => new Group(boxes, positions));
  }

  /**
   * @param spend receives the number of boxes that were looked at
   * @returns the positions, in the constructor's list, of the boxes that overlap or touch the given one, ascending
   */
  overlapping(box: Box, spend?: (boxes: number) => void): number[] {
    const found: number[] = [];
    for (const group of this.groups) {
      const boxes = group.search(box, found);
      spend?.(boxes);
    }
    return found.sort((a, b) => a - b);
  }
}

/** Boxes of about the same width. */
class Group {
  private readonly positions: Int32Array;
  private readonly left: Float64Array;
  private readonly right: Float64Array;
  private readonly top: Float64Array;
  private readonly bottom: Float64Array;
  private readonly widest: number;

  constructor(boxes: readonly (Box | undefined)[], positions: readonly number[]) {
    this.positions = Int32Array.from(positions).sort((a, b) => (boxes[a]?.left ?? 0) - (boxes[b]?.left ?? 0));
    const of = (side: keyof Box): Float64Array => Float64Array.from(this.positions, (at) => boxes[at]?.[side] ?? NaN);
    [this.left, this.right, this.top, this.bottom] = [of('left'), of('right'), of('top'), of('bottom')];
    this.widest = this.right.reduce((widest, right, at) => Math.max(widest, right - (this.left[at] ?? right)), 0);
  }

  /** @returns how many boxes were looked at */
  search({ left, top, right, bottom }: Box, found: number[]): number {
    const start = this.firstFrom(left - this.widest);
    let at = start;
    for (; at < this.left.length && (this.left[at] ?? Infinity) <= right; at++) {
      if ((this.right[at] ?? 0) < left || (this.top[at] ?? 0) > bottom || (this.bottom[at] ?? 0) < top) continue;
      found.push(this.positions[at] ?? 0);
    }
    return at - start + 1;
  }

  private firstFrom(left: number): number {
    let [first, last] = [0, this.left.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if ((this.left[middle] ?? Infinity) < left) first = middle + 1;
      else last = middle;
    }
    return first;
  }
}
