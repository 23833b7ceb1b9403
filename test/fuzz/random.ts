/** Random numbers that one seed determines (mulberry32, public domain), so that an input can be made again. */
export class Random {
  private state: number;

  /** @param scale how much larger sizes are than usual */
  constructor(
    seed: number,
    private readonly scale = 1,
  ) {
    this.state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('There is nothing to pick from');
    return choice;
  }

  /** Small numbers are as likely as large ones: the number of digits is uniform. */
  size(largest: number): number {
    return Math.min(largest, Math.max(1, Math.round(this.scale * largest ** this.next())));
  }
}
