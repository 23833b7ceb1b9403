import type { FrameShape } from '../annotated-frames.js';
import type { DatasetLabel } from '../dataset.js';

/** The elements of a skeleton, in the order of its drawing. */
export interface Skeleton {
  readonly label: DatasetLabel;
  readonly elements: readonly DatasetLabel[];
  /** Pairs of elements that are joined, numbered from 1. */
  readonly edges: readonly (readonly [number, number])[];
}

/** Drawings are parsed once, because every annotation of a skeleton needs its elements. */
const known = new WeakMap<readonly DatasetLabel[], ReadonlyMap<number, Skeleton>>();

/** The skeletons of a dataset by label. */
export function skeletonsOf(labels: readonly DatasetLabel[]): ReadonlyMap<number, Skeleton> {
  const parsed = known.get(labels);
  if (parsed !== undefined) return parsed;
  const skeletons = labels.filter(({ type, parentId }) => type === 'skeleton' && parentId === null);
  const found = new Map(skeletons.map((label) => [label.id, skeletonOf(label, labels)]));
  known.set(labels, found);
  return found;
}

// Each search begins at the start of a word or tag, and ends at the next one: drawings are strangers' texts.
const ATTRIBUTE = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const PART = /<(?:circle|line)\b[^<>]*>/g;

function skeletonOf(label: DatasetLabel, labels: readonly DatasetLabel[]): Skeleton {
  const own = labels.filter(({ parentId }) => parentId === label.id);
  const parts = Array.from(label.svg.matchAll(PART), ([part]) =>
    Object.fromEntries(
      Array.from(part.matchAll(ATTRIBUTE), ([, name = '', quoted, single]) => [name, quoted ?? single ?? '']),
    ),
  );
  const nodes = parts.filter((part) => 'data-label-name' in part);
  const byName = new Map(own.toReversed().map((element) => [element.name, element]));
  const drawn = nodes.flatMap((node) => byName.get(unescaped(node['data-label-name'] ?? '')) ?? []);
  const numbers = new Map(nodes.map((node, at) => [node['data-node-id'], at + 1]));
  const isDrawn = new Set(drawn);
  const edges = parts.flatMap((part) => {
    const [from, to] = [numbers.get(part['data-node-from']), numbers.get(part['data-node-to'])];
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
  return { label, elements: [...drawn, ...own.filter((element) => !isDrawn.has(element))], edges };
}

/** A drawing of a skeleton with its elements on a circle. @param edges pairs of elements that are joined, from 1 */
export function skeletonDrawing(elements: readonly string[], edges: readonly (readonly [number, number])[]): string {
  const points = elements.map((_, at) => {
    const angle = (2 * Math.PI * at) / elements.length - Math.PI / 2;
    return [50 + 40 * Math.cos(angle), 50 + 40 * Math.sin(angle)].map((value) => Number(value.toFixed(2)));
  });
  const lines = edges.flatMap(([from, to]) => {
    const [start, end] = [points[from - 1], points[to - 1]];
    if (start === undefined || end === undefined) return [];
    const position = `x1="${start[0]}" y1="${start[1]}" x2="${end[0]}" y2="${end[1]}"`;
    return [`<line ${position} data-type="edge" data-node-from="${from}" data-node-to="${to}"></line>`];
  });
  const nodes = elements.map((name, at) => {
    const position = `r="0.75" cx="${points[at]?.[0]}" cy="${points[at]?.[1]}"`;
    const ids = `data-element-id="${at + 1}" data-node-id="${at + 1}" data-label-name="${escaped(name)}"`;
    return `<circle ${position} data-type="element node" ${ids}></circle>`;
  });
  return [...lines, ...nodes].join('');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** How visible a keypoint is, as in COCO. */
export const VISIBILITY = { outside: 0, occluded: 1, visible: 2 } as const;

export interface Keypoint {
  readonly x: number;
  readonly y: number;
  /** 0 if outside or missing, 1 if occluded, 2 if visible. */
  readonly visibility: 0 | 1 | 2;
}

/** The points of a shape, one for each element of its skeleton. A missing element is at 0, 0. */
export function keypointsOf(shape: FrameShape, { elements }: Skeleton): Keypoint[] {
  const byLabel = new Map(shape.elements.map((element) => [element.label_id, element]));
  return elements.map(({ id }) => {
    const element = byLabel.get(id);
    if (element === undefined) return { x: 0, y: 0, visibility: VISIBILITY.outside };
    const [x = 0, y = 0] = element.points;
    if (element.outside) return { x, y, visibility: VISIBILITY.outside };
    return { x, y, visibility: element.occluded ? VISIBILITY.occluded : VISIBILITY.visible };
  });
}
