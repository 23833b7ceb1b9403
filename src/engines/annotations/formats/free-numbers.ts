/**
 * Finds numbers that nobody has taken, in series of names such as `a_1.jpg`, `a_2.jpg`, …. It remembers where each search
 * ended, so that a hundred thousand equal names do not take the square of that.
 */
export class FreeNumbers {
  private readonly series = new Map<string, Map<number, number>>();

  /** Takes the first free number of a series. @param from the lowest one */
  take(series: string, from: number): number {
    let next = this.series.get(series);
    if (next === undefined) this.series.set(series, (next = new Map()));
    const passed: number[] = [];
    let free = from;
    for (let after = next.get(free); after !== undefined; after = next.get(free)) {
      passed.push(free);
      free = after;
    }
    for (const number of passed) next.set(number, free + 1);
    next.set(free, free + 1);
    return free;
  }
}
