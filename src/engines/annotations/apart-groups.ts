import type { LabeledData } from '../../shared/annotations/model.js';

interface Grouped {
  group: number | null;
  readonly elements?: readonly Grouped[];
}

/**
 * Keeps groups that come to others apart from them. Their numbers say only what belongs together, so one that is taken
 * becomes a free one, the same for the whole group; others stay. 0 and null are no group.
 */
export class ApartGroups {
  private readonly numbers = new Map<number, number>();
  private free = 1;

  /** @param taken by what is there; is added to */
  constructor(private readonly taken: Set<number>) {}

  /** Changes `data` in place. All that comes together goes through one object of this class, piece by piece. */
  settle({ tags, shapes, tracks, intervals }: LabeledData): void {
    for (const list of [tags, shapes, tracks, intervals]) this.settleAll(list);
  }

  private settleAll(list: readonly Grouped[]): void {
    for (const object of list) {
      if (object.group) object.group = this.numberOf(object.group);
      if (object.elements) this.settleAll(object.elements);
    }
  }

  private numberOf(group: number): number {
    const known = this.numbers.get(group);
    if (known !== undefined) return known;
    const number = this.taken.has(group) ? this.nextFree() : group;
    this.taken.add(number);
    this.numbers.set(group, number);
    return number;
  }

  private nextFree(): number {
    while (this.taken.has(this.free)) this.free++;
    return this.free;
  }
}
