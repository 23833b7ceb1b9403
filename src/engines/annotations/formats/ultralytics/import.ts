import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import type { DatasetFrame, DatasetLabel } from '../dataset.js';
import {
  type DatasetFiles,
  type DatasetImage,
  type FileLocation,
  type ImportFormat,
  type Likeness,
  refuse,
  shown,
} from '../format.js';
import type { ArchiveSample } from '../archive-sample.js';
import { withoutExtension } from '../import-batch.js';
import type { FoundAnnotation, FoundElement } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { skeletonsOf } from '../items/skeletons.js';
import { FoundLabels } from '../label-names.js';
import { requireRelative } from '../relative.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { isLabelLine, labelTexts, YOLO_AUXILIARY } from '../yolo-files.js';
import { classificationImport } from './classification.js';
import { readConfig, type UltralyticsConfig } from './layout.js';

/** A line of a file with labels: numbers after the class, coordinates in pixels. */
interface Row {
  readonly label: DatasetLabel;
  /** x and y in turns. */
  readonly points: readonly number[];
  readonly location: FileLocation;
}

/** How one of the formats reads lines. */
interface Variant {
  readonly name: string;
  /** Checks the number of values after the class. @returns how many belong to the object; one more is a track id */
  fields(count: number, config: UltralyticsConfig, location: FileLocation): number;
  annotation(row: Row, values: readonly number[], frame: DatasetFrame, context: PoseContext): Found;
}

type Found = Pick<FoundAnnotation, 'type' | 'points' | 'rotation' | 'elements'>;

interface PoseContext {
  readonly config: UltralyticsConfig;
  readonly labels: readonly DatasetLabel[];
}

const detection: Variant = {
  name: 'Detection',
  fields: (count, _, location) =>
    count === 4 || count === 5
      ? 4
      : refuse(
          location,
          `Unexpected field count ${count + 1} in the bbox description. ` +
            'Expected 5 or 6 fields (label, xc, yc, w, h, <optional track id>).',
        ),
  annotation: (_, [cx = 0, cy = 0, w = 0, h = 0], { width, height }) => ({
    type: 'rectangle',
    points: [(cx - w / 2) * width, (cy - h / 2) * height, (cx + w / 2) * width, (cy + h / 2) * height].map(twoDecimals),
  }),
};

const segmentation: Variant = {
  name: 'Segmentation',
  fields: (count, _, location) =>
    count >= 6 ? count - (count % 2) : refuse(location, `a polygon needs more than ${count} coordinates`),
  annotation: ({ points }) => ({ type: 'polygon', points: points.map(twoDecimals) }),
};

const orientedBoxes: Variant = {
  name: 'Oriented Bounding Boxes',
  fields: (count, _, location) =>
    count === 8 || count === 9 ? 8 : refuse(location, `four corners and a track id are not ${count} numbers`),
  annotation: ({ points }) => ({ type: 'rectangle', ...orientedBox(points) }),
};

/** The rectangle with the first two corners as its upper edge. */
function orientedBox([x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0]: readonly number[]): {
  points: number[];
  rotation: number;
} {
  const [cx, cy] = [(x1 + x2 + x3 + x4) / 4, (y1 + y2 + y3 + y4) / 4];
  const width = (Math.hypot(x2 - x1, y2 - y1) + Math.hypot(x3 - x4, y3 - y4)) / 2;
  const height = (Math.hypot(x4 - x1, y4 - y1) + Math.hypot(x3 - x2, y3 - y2)) / 2;
  const angle = twoDecimals((Math.atan2(y2 - y1 + y3 - y4, x2 - x1 + x3 - x4) * 180) / Math.PI);
  const points = [cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2].map(twoDecimals);
  return { points, rotation: (angle + 360) % 360 };
}

const pose: Variant = {
  name: 'Pose',
  fields(count, { keypointShape: [points, values] = [0, 3] }, location) {
    const wanted = 4 + points * values;
    return count === wanted || count === wanted + 1
      ? wanted
      : refuse(location, `a box and ${points} points are not ${count} numbers`);
  },
  annotation({ label, location }, values, { width, height }, { config, labels }) {
    const skeleton = skeletonsOf(labels).get(label.id);
    if (skeleton === undefined) refuse(location, `the label ${shown(label.name)} is not a skeleton`);
    const [count, step] = config.keypointShape ?? [0, 3];
    const elements: FoundElement[] = skeleton.elements.slice(0, count).map((element, at) => {
      const [x = 0, y = 0, visibility = 2] = values.slice(4 + at * step, 4 + (at + 1) * step);
      const points = [twoDecimals(x * width), twoDecimals(y * height)];
      return { label: element, points, outside: visibility === 0, occluded: visibility === 1 };
    });
    const surplus = values.slice(4 + elements.length * step);
    if (surplus.some((value) => value !== 0)) {
      refuse(location, `the skeleton ${shown(label.name)} has only ${elements.length} points`);
    }
    return { type: 'skeleton', points: [], elements };
  },
};

const toFormat = (variant: Variant): ImportFormat => ({
  info: { name: `Ultralytics YOLO ${variant.name} 1.0`, ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' },
  requires: ['data.yaml'],
  auxiliary: YOLO_AUXILIARY,
  recognize: (sample) => likenessOf(variant, sample),
  imageAt: imageIn,
  async labels(files) {
    const config = await configOf(variant, files);
    const found = new FoundLabels();
    for (const name of config.names.values()) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const config = await configOf(variant, files);
    const items = new ItemImport(target, { tracks: 'all' });
    const context = { config, labels: target.labels };
    for (const { path, names } of await labelTexts(files, labelsAt, target)) {
      const found: FoundAnnotation[] = [];
      let frame: DatasetFrame | undefined;
      for await (const line of readLines(files.read(path), path)) {
        frame ??= items.frames.namedAny(names, path);
        found.push(annotationIn(line, frame, { variant, items, context }));
      }
      if (frame !== undefined) yield* items.add(frame, found);
    }
    yield* items.finish();
  },
});

/** Texts that tell variants apart. */
const SAMPLES = 20;

async function likenessOf(variant: Variant, sample: ArchiveSample): Promise<Likeness> {
  if (!(await sample.some(/\.ya?ml$/i, (text) => /^[ \t]*["']?names["']?[ \t]*:/m.test(text)))) return 0;
  const isPose = await sample.some(/\.ya?ml$/i, (text) => /^[ \t]*["']?kpt_shape["']?[ \t]*:/m.test(text));
  if (isPose || variant === pose) return isPose === (variant === pose) ? 3 : 0;
  const rows: number[][] = [];
  for (const path of sample.paths.filter((each) => /\.txt$/i.test(each)).slice(0, SAMPLES)) {
    const lines = (await sample.lines(path)).filter(isLabelLine);
    rows.push(...lines.map((line) => line.split(/\s+/).slice(1).map(Number)));
  }
  const likely = variantOf(rows);
  return variant === likely ? 3 : 1;
}

/** Boxes have up to five numbers. Four corners are an oriented box if they are those of a rectangle. */
function variantOf(rows: readonly (readonly number[])[]): Variant {
  if (rows.every(({ length }) => length <= 5)) return detection;
  return rows.every((row) => (row.length === 8 || row.length === 9) && isParallelogram(row))
    ? orientedBoxes
    : segmentation;
}

/** Whether opposite sides are parallel, as far as six decimals tell. */
function isParallelogram([x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0]: readonly number[]): boolean {
  return Math.abs(x1 + x3 - x2 - x4) < 1e-4 && Math.abs(y1 + y3 - y2 - y4) < 1e-4;
}

async function configOf(variant: Variant, files: DatasetFiles): Promise<UltralyticsConfig> {
  const config = await readConfig(files);
  if (variant === pose && config.keypointShape === undefined) refuse(config.path, 'kpt_shape is missing');
  if (variant !== pose && config.keypointShape !== undefined) {
    refuse(config.path, 'kpt_shape belongs to Ultralytics YOLO Pose');
  }
  return config;
}

function annotationIn(
  { text, location }: TextLine,
  frame: DatasetFrame,
  { variant, items, context }: { readonly variant: Variant; readonly items: ItemImport; readonly context: PoseContext },
): FoundAnnotation {
  const [number = NaN, ...values] = text.split(/\s+/).map(decimal);
  if (![number, ...values].every(Number.isFinite)) refuse(location, `${shown(text)} has a field that is not a number`);
  const name = context.config.names.get(number) ?? refuse(location, `${context.config.path} has no class ${number}`);
  const label = items.labels.named(name, location);
  const count = variant.fields(values.length, context.config, location);
  const own = values.slice(0, count);
  requireRelative(own, location);
  const points = own.map((value, index) => value * (index % 2 === 0 ? frame.width : frame.height));
  const track = values.length > count ? (values.at(-1) ?? 0) : undefined;
  const annotation = variant.annotation({ label, points, location }, own, frame, context);
  return { ...annotation, label, location, ...(track !== undefined && { track }) };
}

/** Archives have `labels/SUBSET/ID.txt` or `SUBSET/labels/ID.txt`, possibly in a folder. */
const LABELS = /^(?:[^/]+\/)??(?:labels\/([^/]+)|([^/]+)\/labels)\/(.+)\.txt$/is;
const IMAGES = /^(?:[^/]+\/)??(?:images\/([^/]+)|([^/]+)\/images)\/(.+)$/is;

function labelsAt(path: string): DatasetImage | undefined {
  const [, first, second, name] = LABELS.exec(path) ?? [];
  const subset = first ?? second;
  return subset === undefined || name === undefined ? undefined : { subset, name };
}

function imageIn(path: string): DatasetImage | undefined {
  const [, first, second, name] = IMAGES.exec(path) ?? [];
  const subset = first ?? second;
  if (subset === undefined || name === undefined || withoutExtension(posix.basename(name)) === posix.basename(name)) {
    return undefined;
  }
  return { subset, name };
}

/** In the order in which clients list them. */
export const ultralyticsImports: readonly ImportFormat[] = [
  ...[detection, segmentation, orientedBoxes, pose].map(toFormat),
  classificationImport,
];
