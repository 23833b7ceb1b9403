/** Numbers the groups of a frame from 1, in the order of their numbers in the file; a single member has none. */
export class FrameGroups {
  private readonly members = new Map<number, number>();
  /** Groups of polygons that come from one mask are numbered after those of the file. */
  private last = Number.MAX_SAFE_INTEGER - 1_000_000;

  join(group: number): number {
    if (group !== 0) this.members.set(group, (this.members.get(group) ?? 0) + 1);
    return group;
  }

  free(): number {
    return this.last++;
  }

  /** @param taken the number of groups that the frame has already */
  numbers(taken: number): Map<number, number> {
    const shared = [...this.members].filter(([, count]) => count > 1).map(([group]) => group);
    return new Map(shared.toSorted((a, b) => a - b).map((group, at) => [group, taken + at + 1]));
  }
}
