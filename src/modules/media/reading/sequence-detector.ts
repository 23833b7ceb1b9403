/** Readers that are remembered; the one that was quiet for longest is forgotten first. */
const MAX_READERS = 1000;

/** Notices who reads something piece by piece. */
export class SequenceDetector {
  private readonly last = new Map<string, number>();

  /** @returns whether the reader goes on from the piece before, or begins with the first */
  follows(reader: string, piece: number): boolean {
    const before = this.last.get(reader);
    this.last.delete(reader);
    this.last.set(reader, piece);
    if (this.last.size > MAX_READERS) this.last.delete(this.last.keys().next().value ?? '');
    return piece === 0 || before === piece - 1;
  }
}
