/** Both ends are included. */
export interface Span {
  low: number;
  high: number;
}

/** Spans sorted by their start, so that on a crowded frame only neighbours are compared. */
export class ExtentIndex {
  private readonly positions: number[] = [];
  private readonly lows: number[] = [];
  private readonly highs: number[] = [];
  private readonly widest: number;

  /** @param spans undefined ones overlap nothing */
  constructor(spans: readonly (Span | undefined)[]) {
    const sorted = spans
      .map((span, position) => ({ span, position }))
      .filter((entry): entry is { span: Span; position: number } => entry.span !== undefined)
      .sort((a, b) => a.span.low - b.span.low);
    for (const { span, position } of sorted) {
      this.positions.push(position);
      this.lows.push(span.low);
      this.highs.push(span.high);
    }
    this.widest = this.highs.reduce((widest, high, i) => Math.max(widest, high - (this.lows[i] ?? high)), 0);
  }

  /** Calls back with the positions, in the constructor's list, of the spans that overlap or touch the given one. */
  eachOverlapping({ low, high }: Span, found: (position: number) => void): void {
    for (let i = this.firstFrom(low - this.widest); i < this.lows.length; i++) {
      if ((this.lows[i] ?? Infinity) > high) return;
      if ((this.highs[i] ?? -Infinity) >= low) found(this.positions[i] ?? 0);
    }
  }

  private firstFrom(low: number): number {
    let [first, last] = [0, this.lows.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if ((this.lows[middle] ?? Infinity) < low) first = middle + 1;
      else last = middle;
    }
    return first;
  }
}
