import { roundCoordinate } from '#shared/annotations/editing/geometry';

/** A part of an outline that was cut. */
export interface Piece {
  readonly points: number[];
  /** The side of the line it is on, seen along the line. */
  readonly side: 'left' | 'right';
}

interface Node {
  readonly x: number;
  readonly y: number;
  next: Node;
  side?: Piece['side'];
}

interface Crossing {
  readonly node: Node;
  /** Whether the line enters the outline here. */
  readonly isEntry: boolean;
  /** Where it is on the line: the index of a segment, plus the fraction of the segment. */
  readonly at: number;
}

type Position = readonly [x: number, y: number];

/** Moves the line off the vertices and edges that it would touch exactly, by less than a hundredth of a pixel. */
const NUDGE: Position = [0.00137, 0.00093];
/** Positions nearer than this on the line are the same, as where it crosses a slit. */
const SAME = 1e-9;

/**
 * Cuts an outline where a line crosses it. An end of the line inside of the outline is extended to the edge.
 * @param outline flat list of a polygon whose edges do not cross; they may touch, as the slits of holes do
 * @param line flat list of at least two positions. It must not cross itself
 * @returns the pieces; undefined if the line does not divide the outline
 */
export function slicedOutline(outline: readonly number[], line: readonly number[]): Piece[] | undefined {
  const nodes = ringOf(outline);
  const path = extended(
    positionsOf(line).map(([x, y]) => [x + NUDGE[0], y + NUDGE[1]] as const),
    nodes,
  );
  const crossings = crossingsOf(nodes, path);
  let isCut = false;
  for (const [at, from] of crossings.entries()) {
    const to = crossings[at + 1];
    if (to === undefined || !from.isEntry || to.isEntry) continue;
    cut(from, to, path);
    isCut = true;
  }
  if (!isCut) return undefined;
  return piecesFrom([...nodes, ...crossings.map(({ node }) => node)]);
}

/** Whether two segments of a line cross each other. */
export function crossesItself(line: readonly number[]): boolean {
  const path = positionsOf(line);
  for (let i = 2; i < path.length - 1; i += 1) {
    for (let j = 0; j < i - 1; j += 1) {
      if (meeting(path[i], path[i + 1], path[j], path[j + 1]) !== undefined) return true;
    }
  }
  return false;
}

/** The side of the nearest segment of a line that a position is on. */
export function sideOf(line: readonly number[], x: number, y: number): Piece['side'] {
  let [nearest, side]: [number, Piece['side']] = [Infinity, 'right'];
  const path = positionsOf(line);
  for (const [at, [x1, y1]] of path.slice(0, -1).entries()) {
    const [x2, y2] = path[at + 1] ?? [x1, y1];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
    if (distance < nearest) [nearest, side] = [distance, dx * (y - y1) - dy * (x - x1) > 0 ? 'right' : 'left'];
  }
  return side;
}

const positionsOf = (points: readonly number[]): Position[] =>
  Array.from({ length: points.length / 2 }, (_, at) => [points[at * 2] ?? 0, points[at * 2 + 1] ?? 0]);

/** Twice the area, positive if the interior is to the right of every edge. */
const areaOf = (points: readonly number[]): number =>
  positionsOf(points).reduce((sum, [x, y], at, all) => {
    const [nextX, nextY] = all[(at + 1) % all.length] ?? [x, y];
    return sum + x * nextY - y * nextX;
  }, 0);

/** The vertices of an outline, linked so that its interior is to the right. */
function ringOf(outline: readonly number[]): Node[] {
  const positions = positionsOf(outline);
  if (areaOf(outline) < 0) positions.reverse();
  const nodes = positions.map(([x, y]) => newNode(x, y));
  for (const [at, node] of nodes.entries()) node.next = nodes[(at + 1) % nodes.length] ?? node;
  return nodes;
}

function newNode(x: number, y: number, next?: Node): Node {
  const node = { x, y } as Node;
  node.next = next ?? node;
  return node;
}

/** Where segments cross: the fractions of the first and the second one. */
function meeting(
  [ax = 0, ay = 0]: readonly number[] = [],
  [bx = 0, by = 0]: readonly number[] = [],
  [cx = 0, cy = 0]: readonly number[] = [],
  [dx = 0, dy = 0]: readonly number[] = [],
): { readonly first: number; readonly second: number; readonly turn: number } | undefined {
  const turn = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx);
  if (turn === 0) return undefined;
  const first = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / turn;
  const second = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / turn;
  return first >= 0 && first < 1 && second >= 0 && second < 1 ? { first, second, turn } : undefined;
}

/** Adds the nodes where a path crosses an outline to it. @returns the crossings along the path */
function crossingsOf(nodes: readonly Node[], path: readonly Position[]): Crossing[] {
  const found: Crossing[] = [];
  for (const node of nodes) {
    const end = node.next;
    const onEdge: { readonly crossing: Crossing; readonly at: number }[] = [];
    for (const [at, from] of path.slice(0, -1).entries()) {
      const to = path[at + 1];
      const met = meeting([node.x, node.y], [end.x, end.y], from, to);
      if (met === undefined) continue;
      const crossed = newNode(node.x + met.first * (end.x - node.x), node.y + met.first * (end.y - node.y));
      const crossing = { node: crossed, isEntry: met.turn > 0, at: at + met.second };
      onEdge.push({ crossing, at: met.first });
    }
    let last = node;
    for (const { crossing } of onEdge.toSorted((a, b) => a.at - b.at)) {
      crossing.node.next = end;
      last.next = crossing.node;
      last = crossing.node;
      found.push(crossing);
    }
  }
  // The line leaves one edge of a slit before it enters the other.
  const rank = ({ at }: Crossing): number => Math.round(at / SAME);
  return found.toSorted((a, b) => rank(a) - rank(b) || Number(a.isEntry) - Number(b.isEntry));
}

/** Extends an end that is inside of an outline to just beyond the edge. */
function extended(path: readonly Position[], nodes: readonly Node[]): readonly Position[] {
  const beyond = (end: Position | undefined, before: Position | undefined): Position[] => {
    if (end === undefined || before === undefined || !isInside(nodes, end)) return [];
    const far = nodes.reduce((most, { x, y }) => Math.max(most, Math.hypot(x - end[0], y - end[1])), 1) * 2;
    const length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
    const step = [((end[0] - before[0]) / length) * far, ((end[1] - before[1]) / length) * far] as const;
    let nearest = 1;
    for (const { x, y, next } of nodes) {
      const met = meeting(end, [end[0] + step[0], end[1] + step[1]], [x, y], [next.x, next.y]);
      if (met !== undefined) nearest = Math.min(nearest, met.first);
    }
    const reached = nearest + 1e-3 / far;
    return [[end[0] + step[0] * reached, end[1] + step[1] * reached]];
  };
  return [...beyond(path[0], path[1]), ...path, ...beyond(path.at(-1), path.at(-2))];
}

function isInside(nodes: readonly Node[], [x, y]: Position): boolean {
  let inside = false;
  for (const { x: x1, y: y1, next } of nodes) {
    if (y1 > y !== next.y > y && x < ((next.x - x1) * (y - y1)) / (next.y - y1) + x1) inside = !inside;
  }
  return inside;
}

/** Divides the ring of two crossings along the path between them. */
function cut(from: Crossing, to: Crossing, path: readonly Position[]): void {
  const between = path.filter((_, at) => at > from.at && at < to.at);
  const [afterFrom, afterTo] = [from.node.next, to.node.next];
  const link = (start: Node, positions: readonly Position[], end: Node): void => {
    let last = start;
    for (const [x, y] of positions) {
      last.next = newNode(x, y);
      last = last.next;
    }
    last.next = end;
  };
  const copyOf = ({ x, y }: Node, next: Node, side: Piece['side']): Node => ({ x, y, next, side });
  link(from.node, between, copyOf(to.node, afterTo, 'right'));
  link(to.node, between.toReversed(), copyOf(from.node, afterFrom, 'left'));
  from.node.side = 'right';
  to.node.side = 'left';
}

/** The rings through some nodes, without those that have no area. */
function piecesFrom(nodes: readonly Node[]): Piece[] {
  const seen = new Set<Node>();
  const pieces: Piece[] = [];
  for (const first of nodes) {
    const points: number[] = [];
    let side: Piece['side'] | undefined;
    for (let node = first; !seen.has(node); node = node.next) {
      seen.add(node);
      side ??= node.side;
      const [x, y] = [roundCoordinate(node.x), roundCoordinate(node.y)];
      if (x !== points.at(-2) || y !== points.at(-1)) points.push(x, y);
    }
    if (points[0] === points.at(-2) && points[1] === points.at(-1)) points.splice(-2);
    if (side !== undefined && points.length >= 6 && areaOf(points) > SLIVER) pieces.push({ points, side });
  }
  return pieces;
}

/** Twice the area below which a piece is an effect of rounding, in square pixels. */
const SLIVER = 0.05;
