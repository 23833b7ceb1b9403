/** How often each text is there; has what `colorOf` asks of a set. */
export class Occurrences {
  private readonly counts = new Map<string, number>();

  has(text: string): boolean {
    return this.counts.has(text);
  }

  /** @param by 1 for one more, -1 for one less */
  change(text: string, by: 1 | -1): void {
    const count = (this.counts.get(text) ?? 0) + by;
    if (count === 0) this.counts.delete(text);
    else this.counts.set(text, count);
  }
}

/** Names and colours of labels with the same parent, each found at once however many there are. */
export class Siblings {
  readonly names = new Occurrences();
  readonly colors = new Occurrences();

  add({ name, color }: { readonly name: string; readonly color: string }): void {
    this.names.change(name, 1);
    this.colors.change(color.toLowerCase(), 1);
  }

  /** @param label as it was when it was added */
  remove({ name, color }: { readonly name: string; readonly color: string }): void {
    this.names.change(name, -1);
    this.colors.change(color.toLowerCase(), -1);
  }
}
