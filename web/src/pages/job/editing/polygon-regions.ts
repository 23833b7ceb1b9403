import { intersection, union } from 'polyclip-ts';
import { roundCoordinate, type Size } from '#shared/annotations/editing/geometry';

// Polygons are flat lists x1, y1, x2, y2 … An annotation has one outline, so the edge of a hole is joined to it by a slit
// without width.

type Position = readonly [x: number, y: number];
type Ring = readonly Position[];

/** The union of polygons: a polygon for each connected region, without edges that cross. */
export const unionOfPolygons = (polygons: readonly (readonly number[])[]): number[][] => {
  const [first, ...others] = polygons.map((points) => [ringOf(points)]);
  return first === undefined ? [] : union(first, ...others).map(outlineOf);
};

/** The parts of a polygon within an image. */
export function polygonWithin(points: readonly number[], { width, height }: Size): number[][] {
  const image = ringOf([0, 0, width, 0, width, height, 0, height]);
  return intersection([ringOf(points)], [image]).map(outlineOf);
}

const ringOf = (points: readonly number[]): [number, number][] =>
  Array.from({ length: points.length / 2 }, (_, at) => [points[at * 2] ?? 0, points[at * 2 + 1] ?? 0]);

/** @param rings an outline and its holes, which run in the opposite direction; the last position of each repeats the first */
function outlineOf(rings: readonly Ring[]): number[] {
  const [outline = [], ...holes] = rings.map((ring) => ring.slice(0, -1));
  const joined = withHoles(outline, holes).flat().map(roundCoordinate);
  return withoutRepetitions(joined);
}

/** Joins holes to an outline by the shortest slits first, because the shortest one cannot cross another hole. */
function withHoles(outline: Ring, holes: readonly Ring[]): Ring {
  let joined = outline;
  const rest = new Set(holes);
  while (rest.size > 0) {
    const slits = Array.from(rest, (hole) => ({ hole, slit: shortestSlit(joined, hole) }));
    const { hole, slit } = slits.reduce((best, each) => (each.slit.length < best.slit.length ? each : best));
    const [{ after, position }, inner] = [slit.from, slit.to];
    const around = [...hole.slice(inner.after + 1), ...hole.slice(0, inner.after + 1)];
    joined = [
      ...joined.slice(0, after + 1),
      position,
      inner.position,
      ...around,
      inner.position,
      position,
      ...joined.slice(after + 1),
    ];
    rest.delete(hole);
  }
  return joined;
}

/** An end of a slit: on the edge after a vertex. */
interface SlitEnd {
  readonly after: number;
  readonly position: Position;
}

interface Slit {
  readonly from: SlitEnd;
  readonly to: SlitEnd;
  readonly length: number;
}

/** The shortest connection of two rings that do not cross: it ends in a vertex of one of them. */
function shortestSlit(a: Ring, b: Ring): Slit {
  let best: Slit = { from: { after: 0, position: [0, 0] }, to: { after: 0, position: [0, 0] }, length: Infinity };
  const compare = (
    vertices: Ring,
    edges: Ring,
    slit: (vertex: SlitEnd, edge: SlitEnd, length: number) => Slit,
  ): void => {
    for (const [at, vertex] of vertices.entries()) {
      for (const [after, start] of edges.entries()) {
        const position = nearestOnEdge(start, edges[(after + 1) % edges.length] ?? start, vertex);
        const length = Math.hypot(position[0] - vertex[0], position[1] - vertex[1]);
        if (length < best.length) best = slit({ after: at, position: vertex }, { after, position }, length);
      }
    }
  };
  compare(a, b, (from, to, length) => ({ from, to, length }));
  compare(b, a, (to, from, length) => ({ from, to, length }));
  return best;
}

function nearestOnEdge([x1, y1]: Position, [x2, y2]: Position, [x, y]: Position): Position {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const at = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return [x1 + at * dx, y1 + at * dy];
}

/** Removes vertices at the same position as the one before. */
function withoutRepetitions(points: readonly number[]): number[] {
  const [lastX, lastY] = points.slice(-2);
  return points.filter((_, i) => {
    const at = i - (i % 2);
    const [x, y] = at === 0 ? [lastX, lastY] : [points[at - 2], points[at - 1]];
    return points[at] !== x || points[at + 1] !== y;
  });
}
