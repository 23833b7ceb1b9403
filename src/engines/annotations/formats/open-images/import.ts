import { posix } from 'node:path';
import { type CsvRow, readCsv } from '../csv.js';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse, shown } from '../format.js';
import type { LabeledData } from '../../../../shared/annotations/model.js';
import { isOtherSubset } from '../import-notes.js';
import { hasFile, matchesIn, rootOf, suffixesOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { MaskImages } from '../items/mask-images.js';
import { FoundLabels } from '../label-names.js';
import { requireRelative } from '../relative.js';
import { BOX_FLAGS, FILES, openImagesInfo } from './layout.js';

export const openImagesImport: ImportFormat = {
  info: openImagesInfo,
  requires: FILES,
  async recognize(sample) {
    if (rootOf(sample.paths, KNOWN) !== undefined) return 3;
    return (await sample.some(/\.csv$/i, (text) => text.startsWith('ImageID,'))) ? 2 : 0;
  },
  auxiliary:
    /(?:^|\/)(?:image_ids_and_rotation|[^/]+-images-with(?:-labels-with)?-rotation|class-descriptions[^/]*)\.csv$|(?:^|\/)images\.meta$|_hierarchy\.json$/,
  masks: /(?:^|\/)masks\//,
  imageAt(path) {
    const [, subset, name] = /^(?:[^/]+\/){0,3}?images\/([^/]+)\/(.+)$/s.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  async labels(files) {
    const found = new FoundLabels();
    for await (const { name } of classesIn(files)) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const reader = new OpenImagesReader(files, target);
    yield* reader.read();
  },
};

/** The names of labels, and those that people read. */
async function* classesIn(files: DatasetFiles): AsyncGenerator<{ readonly name: string; readonly display: string }> {
  const pattern = /^(?:annotations\/)?class-descriptions[^/]*\.csv$/;
  for (const { path } of matchesIn(files.paths, datasetRoot(files), pattern)) {
    for await (const row of readCsv(files.read(path), path, ['LabelName', 'DisplayName'])) {
      const name = row.required('LabelName');
      yield { name, display: row.text('DisplayName') || name };
    }
  }
}

const KNOWN =
  /^(?:annotations\/)?(?:image_ids_and_rotation|[^/]+-images-with(?:-labels-with)?-rotation|[^/]+-annotations-(?:bbox|object-segmentation|human-imagelabels(?:-boxable)?)|class-descriptions[^/]*)\.csv$/;

function datasetRoot({ paths }: DatasetFiles): string {
  const root = rootOf(paths, KNOWN);
  if (root !== undefined) return root;
  throw datasetNotFound(FILES);
}

/** A mask of the list, and the normalized box that it belongs to. */
interface Mask {
  readonly row: CsvRow;
  readonly subset: string;
  readonly box: readonly number[] | undefined;
}

/** Pairs of a box and a mask that are compared. */
const MAX_PAIRS = 10_000_000;

class OpenImagesReader {
  private readonly root: string;
  private readonly items: ItemImport;
  private readonly images: MaskImages;
  /** Masks by image, until they are read. Each has a file, so the list is small. */
  private readonly masks = new Map<string, Mask[]>();
  /** What people call labels: those of the original dataset are called `/m/01g317`. */
  private readonly displays = new Map<string, string>();

  constructor(
    private readonly files: DatasetFiles,
    private readonly target: ImportTarget,
  ) {
    this.root = datasetRoot(files);
    this.images = new MaskImages(files);
    this.items = new ItemImport(target, { implied: ['score', 'box_id', ...BOX_FLAGS.map(([, name]) => name)] });
  }

  async *read(): AsyncGenerator<LabeledData> {
    for await (const { name, display } of classesIn(this.files)) this.displays.set(name, display);
    for await (const [row] of this.rows('human-imagelabels(?:-boxable)?')) {
      const [frame, common] = [this.frameOf(row), this.common(row)];
      yield* this.items.add(frame, [{ ...common, type: 'tag', attributes: scoreOf(row) }]);
    }
    await this.listMasks();
    let boxes: CsvRow[] = [];
    for await (const [row] of this.rows('bbox')) {
      const [before] = boxes;
      if (before !== undefined && before.text('ImageID') !== row.text('ImageID')) {
        yield* this.image(before, boxes);
        boxes = [];
      }
      boxes.push(row);
    }
    if (boxes[0] !== undefined) yield* this.image(boxes[0], boxes);
    for (const [mask] of this.masks.values()) if (mask !== undefined) yield* this.image(mask.row, []);
    yield* this.items.finish();
  }

  /** The rows of the files of one kind, with their subsets. */
  private async *rows(kind: string): AsyncGenerator<[row: CsvRow, subset: string]> {
    const pattern = new RegExp(String.raw`^(?:annotations/)?([^/]+?)-annotations-${kind}\.csv$`);
    for (const { path, groups } of matchesIn(this.files.paths, this.root, pattern)) {
      const [subset = ''] = groups;
      if (isOtherSubset(subset, path, this.target)) continue;
      for await (const row of readCsv(this.files.read(path), path)) yield [row, subset];
    }
  }

  private async listMasks(): Promise<void> {
    for await (const [row, subset] of this.rows('object-segmentation')) {
      const box = row.text('BoxXMin') === '' ? undefined : normalizedBox(row, 'Box');
      const id = row.required('ImageID');
      const known = this.masks.get(id);
      if (known === undefined) this.masks.set(id, [{ row, subset, box }]);
      else known.push({ row, subset, box });
    }
  }

  /** Adds the boxes and masks of an image; a mask and its box have the same group. */
  private async *image(first: CsvRow, rows: readonly CsvRow[]): AsyncGenerator<LabeledData> {
    const frame = this.frameOf(first);
    const boxes = rows.map((row) => ({ row, corners: normalizedBox(row, '') }));
    const found: FoundAnnotation[] = boxes.map(({ row, corners }, at) => ({
      ...this.common(row),
      type: 'rectangle',
      points: corners.map((value, axis) => twoDecimals(value * (axis % 2 === 0 ? frame.width : frame.height))),
      occluded: row.text('IsOccluded') === '1',
      attributes: [...scoreOf(row), ...flagsOf(row)],
      group: at + 1,
    }));
    const id = first.text('ImageID');
    const masks = this.masks.get(id) ?? [];
    if (boxes.length * masks.length > MAX_PAIRS) refuse(first.location, 'the image has too many boxes and masks');
    for (const mask of masks) {
      const group = boxes.findIndex(
        ({ row, corners }) => row.text('LabelName') === mask.row.text('LabelName') && areEqual(corners, mask.box),
      );
      found.push({ ...(await this.maskOf(mask, frame)), group: group + 1 });
    }
    this.masks.delete(id);
    yield* this.items.add(frame, found);
  }

  private async maskOf({ row, subset }: Mask, frame: DatasetFrame): Promise<FoundAnnotation> {
    const name = row.required('MaskPath');
    const path = `${this.root}${posix.join('masks', subset, name)}`;
    const places = [path, ...suffixesOf(`masks/${name}`).map((each) => this.root + each)];
    const file = places.find((each) => hasFile(this.files, each));
    if (file === undefined) refuse(row.location, `the archive has no mask ${shown(path)}`);
    const bitmap = await this.images.foreground(file, 'gray', frame);
    const score = row.text('PredictedIoU');
    const attributes: [string, string][] = [['box_id', row.text('BoxID')]];
    if (score !== '') attributes.push(['predicted_iou', score]);
    return { ...this.common(row), type: 'pixels', ...(bitmap !== undefined && { bitmap }), attributes };
  }

  private frameOf(row: CsvRow): DatasetFrame {
    return this.items.frames.named(row.required('ImageID'), row.location);
  }

  private common(row: CsvRow): Pick<FoundAnnotation, 'label' | 'location'> {
    const name = row.required('LabelName');
    const { labels } = this.items;
    const display = labels.find(name) === undefined ? this.displays.get(name) : undefined;
    const label = display === undefined ? undefined : labels.find(display);
    return { label: label ?? labels.named(name, row.location), location: row.location };
  }
}

/** Left, top, right, bottom. */
function normalizedBox(row: CsvRow, prefix: string): number[] {
  const corners = ['XMin', 'YMin', 'XMax', 'YMax'].map((column) => row.number(`${prefix}${column}`));
  requireRelative(corners, row.location);
  return corners;
}

const areEqual = (one: readonly number[], other: readonly number[] | undefined): boolean =>
  other !== undefined && one.every((value, at) => Math.abs(value - (other[at] ?? NaN)) < 1e-6);

function scoreOf(row: CsvRow): [name: string, value: string][] {
  const score = row.text('Confidence');
  return score === '' ? [] : [['score', score]];
}

const flagsOf = (row: CsvRow): [name: string, value: string][] =>
  BOX_FLAGS.flatMap(([column, name]): [string, string][] => {
    const value = row.text(column);
    return name === 'occluded' || (value !== '0' && value !== '1') ? [] : [[name, value === '1' ? 'True' : 'False']];
  });
