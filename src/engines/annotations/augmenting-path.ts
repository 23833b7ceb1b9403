/** The assignment so far, and the row before each column on the path that a search has found. -1: none. */
export interface Augmentation {
  readonly columnOf: Int32Array;
  readonly rowOf: Int32Array;
  readonly rowBefore: Int32Array;
}

/** Assigns each row of a path to the next column of it, so that one more row has a column. @param end the last column */
export function flipPath({ columnOf, rowOf, rowBefore }: Augmentation, start: number, end: number): void {
  for (let column = end, row = -1; row !== start;) {
    row = rowBefore[column] ?? start;
    rowOf[column] = row;
    const next = columnOf[row] ?? -1;
    columnOf[row] = column;
    column = next;
  }
}
