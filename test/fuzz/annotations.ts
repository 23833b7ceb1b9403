import { parseLabeledData } from '../../src/engines/annotations/parse.js';
import {
  emptyData,
  type LabeledData,
  type Shape,
  type ShapeType,
  type Track,
} from '../../src/shared/annotations/model.js';
import { shapeOf, trackOf } from '../support/datasets.js';
import type { Random } from './random.js';

/** What annotations are made for. */
export interface Subject {
  readonly is3d: boolean;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Ids of labels with and without attributes. */
  readonly labels: readonly number[];
}

/** Numbers in the points of one part: a few hundred kilobytes of JSON. */
const NUMBERS = 8_000;

const TYPES: readonly ShapeType[] = ['rectangle', 'ellipse', 'polygon', 'polyline', 'points', 'mask', 'skeleton', 'cuboid']; // prettier-ignore

/** Annotations as the API accepts them, few or many, with extreme numbers, equal, or nearly equal. */
export function extremeData(subject: Subject, random: Random): LabeledData {
  const data = emptyData();
  for (let parts = 1 + random.below(3); parts > 0; parts--) {
    const kind = random.below(10);
    if (kind === 0) data.tags.push(...tags(subject, random));
    else if (kind < 3) data.tracks.push(...tracks(subject, random));
    else data.shapes.push(...shapes(subject, random));
  }
  data.shapes.sort((a, b) => a.frame - b.frame);
  return accepted(data);
}

/** Without the objects that the API refuses. */
function accepted(data: LabeledData): LabeledData {
  const found = emptyData();
  for (const list of ['tags', 'shapes', 'tracks'] as const)
    for (const object of data[list]) {
      try {
        (found[list] as unknown[]).push(
          ...parseLabeledData({ [list]: [structuredClone(object)] }, { action: 'create' })[list],
        );
      } catch {
        // It is not accepted.
      }
    }
  return found;
}

function tags({ frames, labels }: Subject, random: Random): LabeledData['tags'] {
  const isEqual = random.chance(0.5);
  return Array.from({ length: random.size(5_000) }, () => ({
    id: null,
    label_id: isEqual ? (labels[0] ?? 0) : random.pick(labels),
    frame: isEqual ? 0 : random.below(frames),
    group: random.below(3),
    source: 'manual',
    attributes: [],
  }));
}

function shapes(subject: Subject, random: Random): Shape[] {
  const type = subject.is3d ? 'cuboid' : random.pick(TYPES);
  const first = shape(type, subject, random);
  const numbers = Math.max(8, first.points.length + 2 * first.elements.length);
  const count = random.size(Math.max(1, Math.floor(NUMBERS / numbers)));
  const like = random.below(4);
  return Array.from({ length: count }, () => {
    if (like === 0) return shape(type, subject, random, numbers);
    const copy = structuredClone(first);
    if (like === 1 && type !== 'mask') copy.points = copy.points.map((value) => value + random.next());
    if (like === 2) copy.frame = random.below(subject.frames);
    copy.group = random.below(3);
    return copy;
  });
}

function tracks(subject: Subject, random: Random): Track[] {
  const type = subject.is3d ? 'cuboid' : random.pick(TYPES.filter((each) => each !== 'skeleton' && each !== 'mask'));
  const isLong = random.chance(0.5);
  const track = (): Track => {
    const frames = Array.from({ length: subject.frames }, (_, frame) => frame).filter(() => random.chance(0.5));
    const keyframes = (frames.length === 0 ? [0] : frames).map((frame) => {
      const { points, rotation } = shape(type, subject, random, isLong ? undefined : 20);
      return { type, frame, points, rotation, outside: random.chance(0.2) };
    });
    return trackOf(keyframes, { label_id: random.pick(subject.labels) });
  };
  const first = track();
  const numbers = first.shapes.reduce((sum, { points }) => sum + points.length + 10, 0);
  const count = random.size(Math.max(1, Math.floor(NUMBERS / numbers)));
  const isEqual = random.chance(0.5);
  return Array.from({ length: count }, () => (isEqual ? structuredClone(first) : track()));
}

const EXTREMES = [0, 0.5, -0.5, 1, 1e-9, 1e3, 1e6, 1e9, -1e9, 2 ** 31, 1e12, 1e15, -1e15];

/** A coordinate within the image, around it, or far away. */
function coordinate(length: number, random: Random): number {
  const kind = random.below(10);
  if (kind === 0) return random.pick(EXTREMES);
  if (kind === 1) return random.pick([0, length, length - 0.5, length / 2]);
  if (kind === 2) return Math.round(random.next() * length);
  return (random.next() * 1.4 - 0.2) * length;
}

function shape(type: ShapeType, subject: Subject, random: Random, most = NUMBERS): Shape {
  const { width, height, frames, labels } = subject;
  const point = (): number[] => [coordinate(width, random), coordinate(height, random)];
  const many = (least: number): number[] =>
    outline(Math.max(least, random.size(Math.floor(most / 2))), point, subject, random);
  const common = {
    frame: random.below(frames),
    label_id: random.pick(labels),
    group: random.below(3),
    z_order: random.pick([0, 0, 1, -(2 ** 31), 2 ** 31 - 1]),
    rotation: random.chance(0.3) ? random.next() * 360 : 0,
    occluded: random.chance(0.2),
  };
  switch (type) {
    case 'rectangle':
      return shapeOf(type, [...point(), ...point()], common);
    case 'ellipse': {
      const [x = 0, y = 0] = point();
      return shapeOf(
        type,
        [x, y, x + Math.abs(coordinate(width, random)), y - Math.abs(coordinate(height, random))],
        common,
      );
    }
    case 'mask':
      return shapeOf(type, mask(subject, random, most), { ...common, rotation: 0 });
    case 'skeleton':
      return shapeOf(type, [], {
        ...common,
        label_id: 3,
        rotation: 0,
        elements: [4, 5].map((label_id) => shapeOf('points', point(), { label_id, frame: common.frame })),
      });
    case 'cuboid':
      return shapeOf(
        type,
        Array.from({ length: 16 }, () => coordinate(subject.is3d ? 100 : width, random)),
        { ...common, rotation: 0 },
      );
    case 'polygon':
      return shapeOf(type, many(3), { ...common, rotation: 0 });
    default:
      return shapeOf(type, many(type === 'points' ? 1 : 2), { ...common, rotation: 0 });
  }
}

function outline(count: number, point: () => number[], { width, height }: Subject, random: Random): number[] {
  const kind = random.below(4);
  const at = (index: number): number[] => {
    if (kind === 0) return point();
    if (kind === 1) return [index % 2 === 0 ? 0 : width, (height * index) / count];
    const angle = (2 * Math.PI * index) / count;
    const radius = kind === 2 ? 0.4 : index % 2 === 0 ? 0.5 : 0.1;
    return [width * (0.5 + radius * Math.cos(angle)), height * (0.5 + radius * Math.sin(angle))];
  };
  return Array.from({ length: count }, (_, index) => at(index)).flat();
}

function mask({ width, height }: Subject, random: Random, most: number): number[] {
  const isFar = random.chance(0.2);
  const start = (length: number): number => Math.round(isFar ? coordinate(length, random) : random.next() * length);
  const [left, top] = [start(width), start(height)];
  const side = (length: number): number => random.size(random.chance(0.1) ? 1e9 : length);
  const [right, bottom] = [left + side(width) - 1, top + side(height) - 1];
  const area = (right - left + 1) * (bottom - top + 1);
  const runs: number[] = [];
  const longest = random.pick([1, 10, width, area]);
  for (let rest = area, count = random.size(most); rest > 0; count--) {
    const run = count <= 1 ? rest : Math.min(rest, random.below(longest + 1));
    runs.push(run);
    rest -= run;
  }
  return [...runs, left, top, right, bottom];
}
