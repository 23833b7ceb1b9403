import { annotatedItems, type AnnotatedItem, boundsOf, cornersOf } from '../items/items.js';
import { masksOf, outlinesOf } from '../items/conversions.js';
import { DrawingBudget } from '../items/drawing-budget.js';
import { keypointsOf, skeletonsOf, VISIBILITY } from '../items/skeletons.js';
import type { FrameShape } from '../annotated-frames.js';
import type { DatasetFrame, DatasetLabel } from '../dataset.js';
import type { ExportFormat } from '../format.js';
import { classificationExport } from './classification.js';
import { imagePathOf, labelsPathOf, ultralyticsItems, writeConfig } from './layout.js';

/** How one of the formats writes shapes. */
interface Variant {
  readonly name: string;
  classes(labels: readonly DatasetLabel[]): DatasetLabel[];
  /** The largest number of points of a skeleton. */
  keypoints?(labels: readonly DatasetLabel[]): number;
  /** What follows the class in the lines of a shape; coordinates in pixels. */
  lines(shape: FrameShape, frame: DatasetFrame, labels: readonly DatasetLabel[], budget: DrawingBudget): Line[];
}

type Line = readonly (Coordinate | string)[];

interface Coordinate {
  readonly x?: number;
  readonly y?: number;
}

const topLabels = (labels: readonly DatasetLabel[]): DatasetLabel[] =>
  labels.filter(({ parentId }) => parentId === null);

const isRotated = ({ rotation }: FrameShape): boolean => Math.min(rotation % 360, 360 - (rotation % 360)) > 0.00001;

const pairs = (points: readonly number[]): Coordinate[] =>
  points.map((value, at) => (at % 2 === 0 ? { x: value } : { y: value }));

const box = ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): Coordinate[] =>
  pairs([(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1]);

const boxLine = (shape: FrameShape): Coordinate[] | undefined =>
  shape.type === 'rectangle' && !isRotated(shape) ? box(shape.points) : undefined;

const detection: Variant = {
  name: 'Detection',
  classes: topLabels,
  lines(shape) {
    const line = boxLine(shape);
    return line === undefined ? [] : [line];
  },
};

const detectionTrack: Variant = {
  name: 'Detection Track',
  classes: topLabels,
  lines(shape) {
    const line = boxLine(shape);
    if (line === undefined) return [];
    return [shape.track === undefined ? line : [...line, String(shape.track)]];
  },
};

const orientedBoxes: Variant = {
  name: 'Oriented Bounding Boxes',
  classes: topLabels,
  lines: (shape) => (shape.type === 'rectangle' ? [pairs(cornersOf(shape))] : []),
};

const PIXELS = new Set(['ellipse', 'mask'] as const);

const segmentation: Variant = {
  name: 'Segmentation',
  classes: topLabels,
  lines(shape, frame, _labels, budget) {
    if (shape.type === 'polygon') return [pairs(shape.points)];
    return masksOf([shape], frame, PIXELS, budget)
      .flatMap(({ bitmap }) => outlinesOf(bitmap, budget) ?? [])
      .map(pairs);
  },
};

const pose: Variant = {
  name: 'Pose',
  classes: (labels) => topLabels(labels).filter(({ type }) => type === 'skeleton'),
  keypoints: (labels) => Math.max(0, ...[...skeletonsOf(labels).values()].map(({ elements }) => elements.length)),
  lines(shape, _frame, labels) {
    const skeletons = skeletonsOf(labels);
    const skeleton = shape.type === 'skeleton' ? skeletons.get(shape.label_id) : undefined;
    if (skeleton === undefined) return [];
    const points = keypointsOf(shape, skeleton);
    const seen = points.filter(({ visibility }) => visibility !== VISIBILITY.outside);
    const bounds = seen.length === 0 ? [0, 0, 0, 0] : boundsOf(seen.flatMap(({ x, y }) => [x, y]));
    const most = pose.keypoints?.(labels) ?? 0;
    const missing = Array.from({ length: most - points.length }, () => ['0.0', '0.0', '0']);
    return [
      [
        ...box(bounds),
        ...points.flatMap(({ x, y, visibility }) => [{ x }, { y }, String(visibility)]),
        ...missing.flat(),
      ],
    ];
  },
};

/** The formats that have a text file per image with a line per object. */
const toFormat = (variant: Variant): ExportFormat => ({
  info: {
    name: `Ultralytics YOLO ${variant.name} 1.0`,
    ext: 'ZIP',
    version: '1.0',
    enabled: true,
    dimension: '2d',
  },
  imagePath: (frame, _task, dataset) => imagePathOf(ultralyticsItems(dataset).of(frame)),
  async write(dataset, source, sink) {
    const items = ultralyticsItems(dataset);
    const classes = variant.classes(dataset.labels);
    const names = classes.map(({ name }) => name);
    const keypoints = variant.keypoints?.(dataset.labels);
    await writeConfig(items, { names, ...(keypoints !== undefined && { keypoints }) }, sink);
    const numbers = new Map(classes.map(({ id }, at) => [id, at]));
    for await (const item of annotatedItems(dataset, source, items)) {
      const text = textOf(item, variant, numbers, dataset.labels);
      if (text !== '') await sink.addFile(labelsPathOf(item), Buffer.from(text));
    }
  },
});

function textOf(
  { shapes, frame }: AnnotatedItem,
  variant: Variant,
  numbers: ReadonlyMap<number, number>,
  labels: readonly DatasetLabel[],
): string {
  let text = '';
  const budget = new DrawingBudget(frame);
  for (const shape of shapes) {
    const number = numbers.get(shape.label_id);
    if (number === undefined) continue;
    for (const line of variant.lines(shape, frame, labels, budget)) {
      text += `${[number, ...line.map((part) => fieldOf(part, frame))].join(' ')}\n`;
    }
  }
  return text;
}

function fieldOf(part: Coordinate | string, { width, height }: DatasetFrame): string {
  if (typeof part === 'string') return part;
  return (part.x === undefined ? (part.y ?? 0) / height : part.x / width).toFixed(6);
}

/** In the order in which clients list them. */
export const ultralyticsExports: readonly ExportFormat[] = [
  ...[detection, detectionTrack, orientedBoxes, segmentation, pose].map(toFormat),
  classificationExport,
];
