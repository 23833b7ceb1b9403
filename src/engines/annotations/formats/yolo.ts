import { decimal } from '../decimal.js';
import type { LabeledData, Shape } from '../../../shared/annotations/model.js';
import { firstLine } from './archive-sample.js';
import { annotatedFrames } from './annotated-frames.js';
import {
  type Dataset,
  type DatasetFrame,
  type DatasetLabel,
  type DatasetTask,
  distinctNames,
  imageName,
  trainSubsets,
  groupedBy,
} from './dataset.js';
import {
  datasetNotFound,
  fileShape,
  FormatError,
  type FileLocation,
  refuse,
  shown,
  type AnnotationSource,
  type DatasetFiles,
  type DatasetImage,
  type ExportFormat,
  type FileSink,
  type ImportFormat,
  type ImportTarget,
} from './format.js';
import { FoundLabels, LabelNames } from './label-names.js';
import { FrameMatcher, withoutExtension, ImportBatch } from './import-batch.js';
import { requireListableLabels, requireOneLine } from './items/names.js';
import { requireRelative } from './relative.js';
import { linesIn, readLines, type TextLine } from './text-pieces.js';
import { isLabelLine, type LabelText, labelTexts, YOLO_AUXILIARY } from './yolo-files.js';

/**
 * Darknet's layout: a text file per image with a line per box, which gives class, centre and size relative to the
 * image. Only rectangles are supported: a rotated one is written as its bounding box, clipped to the image.
 */
export const yoloExport: ExportFormat = {
  info: { name: 'YOLO 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imagePath: (frame, task, dataset) => subsetsOf(dataset).image(frame, task),
  async write(dataset, source, sink) {
    const classes = dataset.labels.filter((label) => label.parentId === null);
    const subsets = subsetsOf(dataset);
    checkNames(dataset, subsets);
    requireListableLabels('YOLO 1.1', classes);
    await writeLists(dataset, subsets, classes, sink);
    await writeTexts(dataset, source, { subsets, classes, sink });
  },
};

/** Keys of `obj.data`. */
const RESERVED = new Set(['classes', 'names', 'backup']);

/** The names of subsets and frames in a dataset. */
class YoloSubsets {
  readonly of: (task: DatasetTask) => string;
  /** New names for frames whose own name is taken in the subset that their task has joined. */
  private readonly names = new Map<DatasetFrame, string>();

  constructor({ tasks }: Pick<Dataset, 'tasks'>) {
    this.of = trainSubsets(tasks);
    const joined = distinctNames(tasks.map((task) => ({ ...task, subset: this.of(task) })));
    for (const [index, task] of tasks.entries()) {
      for (const [at, frame] of task.frames.entries()) {
        const name = joined[index]?.frames[at]?.name ?? frame.name;
        if (name !== frame.name) this.names.set(frame, name);
      }
    }
  }

  folder(task: DatasetTask): string {
    return `obj_${this.of(task)}_data`;
  }

  image(frame: DatasetFrame, task: DatasetTask): string {
    return `${this.folder(task)}/${imageName({ ...frame, name: this.nameOf(frame) }, task)}`;
  }

  text(frame: DatasetFrame, task: DatasetTask): string {
    return `${this.folder(task)}/${withoutExtension(this.nameOf(frame))}.txt`;
  }

  private nameOf(frame: DatasetFrame): string {
    return this.names.get(frame) ?? frame.name;
  }
}

/** Cached, because it is needed for every image. */
const known = new WeakMap<Dataset, YoloSubsets>();

function subsetsOf(dataset: Dataset): YoloSubsets {
  const subsets = known.get(dataset) ?? new YoloSubsets(dataset);
  known.set(dataset, subsets);
  return subsets;
}

/**
 * @throws FormatError if a subset is named like a key of `obj.data`, an image cannot be listed, or the boxes of two images would have the same
 * file
 */
function checkNames(dataset: Dataset, subsets: YoloSubsets): void {
  const taken = new Set<string>();
  for (const task of dataset.tasks) {
    const subset = subsets.of(task);
    if (RESERVED.has(subset))
      throw new FormatError(`Can't export ${shown(subset)} subset in YOLO format, this word is reserved.`);
    requireOneLine('YOLO 1.1', 'image', task.frames.map(({ name }) => name)); // prettier-ignore
    for (const frame of task.frames) {
      const path = subsets.text(frame, task);
      if (taken.has(path))
        throw new FormatError(`YOLO 1.1 has one file ${shown(path)} for several images of the dataset.`);
      taken.add(path);
    }
  }
}

async function writeLists(
  dataset: Dataset,
  subsets: YoloSubsets,
  classes: readonly DatasetLabel[],
  sink: FileSink,
): Promise<void> {
  const bySubset = groupedBy(dataset.tasks, (task) => subsets.of(task));
  const data = [
    `classes = ${classes.length}`,
    ...[...bySubset.keys()].map((subset) => `${subset} = data/${subset}.txt`),
    'names = data/obj.names',
    'backup = backup/',
  ];
  await sink.addFile('obj.data', lines(data));
  await sink.addFile('obj.names', lines(classes.map(({ name }) => name)));
  for (const [subset, tasks] of bySubset) {
    const images = tasks.flatMap((task) => task.frames.map((frame) => `data/${subsets.image(frame, task)}`));
    await sink.addFile(`${subset}.txt`, lines(images));
  }
}

const lines = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(''));

async function writeTexts(
  dataset: Dataset,
  source: AnnotationSource,
  {
    subsets,
    classes,
    sink,
  }: { readonly subsets: YoloSubsets; readonly classes: readonly DatasetLabel[]; readonly sink: FileSink },
): Promise<void> {
  const numbers = new Map(classes.map((label, i) => [label.id, i]));
  let text = '';
  for await (const { task, frame, first, last, shapes } of annotatedFrames(dataset, source)) {
    if (first) text = '';
    for (const shape of shapes) text += boxLine(shape, frame, numbers);
    if (last) await sink.addFile(subsets.text(frame, task), Buffer.from(text));
  }
}

function boxLine(shape: Shape, { width, height }: DatasetFrame, numbers: ReadonlyMap<number, number>): string {
  if (shape.type !== 'rectangle') return '';
  const [x1, y1, x2, y2] = boxAround(shape);
  const [left, right] = [Math.max(0, x1), Math.min(width, x2)];
  const [top, bottom] = [Math.max(0, y1), Math.min(height, y2)];
  if (left >= right || top >= bottom) return '';
  const box = [
    (left + right) / 2 / width,
    (top + bottom) / 2 / height,
    (right - left) / width,
    (bottom - top) / height,
  ];
  return `${numbers.get(shape.label_id) ?? 0} ${box.map((value) => value.toFixed(6)).join(' ')}\n`;
}

function boxAround({ points, rotation }: Shape): [number, number, number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = points;
  const [cx, cy, w, h] = [(a + c) / 2, (b + d) / 2, Math.abs(c - a) / 2, Math.abs(d - b) / 2];
  const angle = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const [rx, ry] = [w * cos + h * sin, w * sin + h * cos];
  return [cx - rx, cy - ry, cx + rx, cy + ry];
}

export const yoloImport: ImportFormat = {
  info: { name: 'YOLO 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  requires: ['obj.data'],
  async recognize(sample) {
    const has = (file: RegExp): boolean => sample.paths.some((path) => file.test(path));
    if (has(/(?:^|\/)obj\.(?:data|names)$/)) return 3;
    if (has(/\.ya?ml$/i) || !NAMES.some(has)) return 0;
    return (await sample.some(/\.txt$/i, (text) => isLabelLine(firstLine(text)))) ? 2 : 0;
  },
  auxiliary: YOLO_AUXILIARY,
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    for (const name of await classNames(files)) if (name !== '') found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const reader = new BoxReader(await classNames(files), target);
    for (const { path, names } of await labelTexts(files, itemAt, target)) {
      yield* reader.read(readLines(files.read(path), path), names);
    }
  },
};

/** Files with the names of classes, the most likely ones first. */
const NAMES = [/(?:^|\/)obj\.names$/, /\.names$/i, /\.labels$/i, /(?:^|\/)classes\.txt$/i];

async function classNames(files: DatasetFiles): Promise<string[]> {
  const [path] = NAMES.flatMap((pattern) => files.paths.find((each) => pattern.test(each)) ?? []);
  if (path === undefined) throw datasetNotFound('The archive contains no file obj.names with the labels.');
  const names: string[] = [];
  for await (const lines of linesIn(files.read(path), path)) for (const line of lines) names.push(line.trim());
  return names;
}

function itemAt(path: string): DatasetImage | undefined {
  const [, subset, name] = /^(?:.*\/)?obj_([^/]+)_data\/(.+)$/s.exec(path) ?? [];
  return subset === undefined || name === undefined ? undefined : { subset, name };
}

function imageAt(path: string): DatasetImage | undefined {
  return /\.txt$/i.test(path) ? undefined : itemAt(path);
}

class BoxReader {
  private readonly batch = new ImportBatch();
  private readonly labels: LabelNames;
  private readonly frames: FrameMatcher;

  constructor(
    private readonly names: readonly string[],
    target: ImportTarget,
  ) {
    this.labels = new LabelNames(target.labels, target.notes);
    this.frames = new FrameMatcher(target);
  }

  async *read(lines: AsyncIterable<TextLine>, names: LabelText['names']): AsyncGenerator<LabeledData> {
    let frame: DatasetFrame | undefined;
    for await (const { text: line, location } of lines) {
      frame ??= this.frames.namedAny(names, location);
      this.batch.addShape(this.boxOf(line, frame, location), location);
      if (this.batch.isFull) yield this.batch.take();
    }
    if (!this.batch.isEmpty) yield this.batch.take();
  }

  private boxOf(line: string, { frame, width, height }: DatasetFrame, location: FileLocation): Shape {
    const words = line.split(/\s+/);
    const [number = NaN, cx = NaN, cy = NaN, w = NaN, h = NaN] = words.map(decimal);
    if (words.length !== 5 || ![number, cx, cy, w, h].every(Number.isFinite)) {
      refuse(location, `${shown(line)} is not a class and four numbers`);
    }
    requireRelative([cx, cy, w, h], location);
    const name = this.names[number] || refuse(location, `obj.names has no class ${number}`);
    const corners = [(cx - w / 2) * width, (cy - h / 2) * height, (cx + w / 2) * width, (cy + h / 2) * height];
    // Rounds off the error of the format's six decimals; adding 0 turns -0 into 0.
    const points = corners.map((value) => Math.round(value * 100) / 100 + 0);
    return fileShape({ label_id: this.labels.named(name, location).id, frame, points });
  }
}
