/** An LRU cache with a total weight limit. An entry that exceeds the limit is kept alone. */
export class WeightedCache<Key, Value> {
  private readonly entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  private total = 0;

  /** @param onLeave called for every evicted value */
  constructor(
    private readonly most: number,
    private readonly onLeave: (value: Value) => void = () => undefined,
  ) {}

  get weight(): number {
    return this.total;
  }

  has(key: Key): boolean {
    return this.entries.has(key);
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, weight: number): void {
    this.remove(key);
    this.entries.set(key, { value, weight });
    this.total += weight;
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.most || oldest === key) break;
      this.remove(oldest);
    }
  }

  clear(): void {
    for (const key of this.entries.keys()) this.remove(key);
  }

  private remove(key: Key): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.total -= entry.weight;
    this.onLeave(entry.value);
  }
}
