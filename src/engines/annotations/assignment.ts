/** Two objects, by their positions in two lists, and their similarity (0..1). */
export interface Pair {
  a: number;
  b: number;
  similarity: number;
}

/** Larger groups of similar objects are matched greedily, because optimal matching takes n³ steps. */
const MAX_EXACT = 150;

/**
 * Selects pairs so that each object is in at most one and the sum of similarities is maximal. Connected groups of
 * similar objects are matched separately, so that a crowded frame stays cheap.
 * @param pairs the acceptable pairs
 */
export function bestPairs(pairs: readonly Pair[]): Pair[] {
  return components(pairs).flatMap((group) => {
    if (group.length === 1) return group;
    const size = Math.max(new Set(group.map((pair) => pair.a)).size, new Set(group.map((pair) => pair.b)).size);
    return size > MAX_EXACT ? greedyPairs(group) : exactPairs(group);
  });
}

/** Splits pairs into groups that have no member in common. */
function components(pairs: readonly Pair[]): Pair[][] {
  const parent = new Map<string, string>();
  const root = (node: string): string => {
    let top = node;
    for (let next = parent.get(top); next !== undefined; next = parent.get(top)) top = next;
    if (top !== node) parent.set(node, top);
    return top;
  };
  for (const { a, b } of pairs) {
    const [left, right] = [root(`a${a}`), root(`b${b}`)];
    if (left !== right) parent.set(left, right);
  }
  const groups = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const key = root(`a${pair.a}`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pair]);
    else group.push(pair);
  }
  return [...groups.values()];
}

function greedyPairs(pairs: readonly Pair[]): Pair[] {
  const [usedA, usedB] = [new Set<number>(), new Set<number>()];
  return pairs
    .toSorted((p, q) => q.similarity - p.similarity)
    .filter(({ a, b }) => {
      if (usedA.has(a) || usedB.has(b)) return false;
      usedA.add(a);
      usedB.add(b);
      return true;
    });
}

function exactPairs(pairs: readonly Pair[]): Pair[] {
  const rows = [...new Set(pairs.map((pair) => pair.a))];
  const columns = [...new Set(pairs.map((pair) => pair.b))];
  const size = Math.max(rows.length, columns.length);
  const rowOf = new Map(rows.map((a, i) => [a, i]));
  const columnOf = new Map(columns.map((b, i) => [b, i]));
  const cost = Array.from({ length: size }, () => filled(size, 1));
  for (const { a, b, similarity } of pairs) {
    const row = cost[rowOf.get(a) ?? -1];
    if (row !== undefined) row[columnOf.get(b) ?? 0] = 1 - similarity;
  }
  const chosen = cheapestColumns(cost);
  return pairs.filter(({ a, b }) => chosen[rowOf.get(a) ?? -1] === columnOf.get(b));
}

function filled(size: number, value: number): number[] {
  return Array.from({ length: size }, () => value);
}

/**
 * The Hungarian method with potentials (Kuhn 1955, in the O(n³) form of Jonker and Volgenant).
 * @param cost a square matrix
 * @returns the column of each row
 */
function cheapestColumns(cost: readonly (readonly number[])[]): number[] {
  const size = cost.length;
  const rowPotential = filled(size, 0);
  const columnPotential = filled(size, 0);
  const rowOfColumn = filled(size, -1);
  const costOf = (row: number, column: number) =>
    (cost[row]?.[column] ?? 1) - (rowPotential[row] ?? 0) - (columnPotential[column] ?? 0);

  for (let start = 0; start < size; start++) {
    const path = shortestPath(start, size, rowOfColumn, costOf);
    for (const { row, column, distance } of path.reached) {
      rowPotential[row] = (rowPotential[row] ?? 0) + path.length - distance;
      if (column >= 0) columnPotential[column] = (columnPotential[column] ?? 0) - path.length + distance;
    }
    for (let column = path.end; column >= 0;) {
      const row = path.rowBefore[column] ?? start;
      const freed = rowOfColumn.indexOf(row);
      rowOfColumn[column] = row;
      column = row === start ? -1 : freed;
    }
  }
  const columns = filled(size, -1);
  rowOfColumn.forEach((row, column) => (columns[row] = column));
  return columns;
}

interface Path {
  /** Rows reached, with their column (-1 for the start) and its distance. */
  reached: { row: number; column: number; distance: number }[];
  rowBefore: number[];
  end: number;
  length: number;
}

/** Dijkstra's algorithm over columns, from a row to the nearest free column. */
function shortestPath(
  start: number,
  size: number,
  rowOfColumn: readonly number[],
  costOf: (row: number, column: number) => number,
): Path {
  const distance = filled(size, Infinity);
  const rowBefore = filled(size, start);
  const open = new Set(distance.keys());
  const reached = [{ row: start, column: -1, distance: 0 }];
  for (let i = 0; ; i++) {
    const current = reached[i];
    if (current === undefined) throw new Error('A square matrix has a free column for every row');
    let nearest = -1;
    for (const column of open) {
      const through = current.distance + costOf(current.row, column);
      if (through < (distance[column] ?? Infinity)) {
        distance[column] = through;
        rowBefore[column] = current.row;
      }
      if (nearest < 0 || (distance[column] ?? Infinity) < (distance[nearest] ?? Infinity)) nearest = column;
    }
    const length = distance[nearest] ?? 0;
    const row = rowOfColumn[nearest] ?? -1;
    if (row < 0) return { reached, rowBefore, end: nearest, length };
    open.delete(nearest);
    reached.push({ row, column: nearest, distance: length });
  }
}
