import type { FrameShape } from '../annotated-frames.js';
import { csvText, type CsvValue } from '../csv.js';
import type { Dataset, DatasetLabel } from '../dataset.js';
import type { AnnotationSource, ExportFormat, FileSink } from '../format.js';
import { FreeNumbers } from '../free-numbers.js';
import { attributeNamed, type ItemAttribute, shapeAttributes, tagAttributes } from '../items/attributes.js';
import { masksOf, mergeGroups, rotatedToPolygons } from '../items/conversions.js';
import {
  type AnnotatedItem,
  annotatedItems,
  type DatasetItem,
  type DatasetItems,
  itemsWith,
  subsetParts,
} from '../items/items.js';
import { GRAY, paintedPng } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';
import { requireDistinctIds } from '../items/names.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { BOX_FLAGS, openImagesInfo } from './layout.js';

const openImagesItems = itemsWith();

export const openImagesExport: ExportFormat = {
  info: openImagesInfo,
  imagePath(frame, _task, dataset) {
    const { subset, image } = openImagesItems(dataset).of(frame);
    return `images/${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const labels = new LabelNames(dataset.labels);
    requireDistinctIds(openImagesInfo.name, openImagesItems(dataset));
    await writeLabels(dataset.labels, sink);
    const sizes = new Map<string, string>();
    const items = openImagesItems(dataset);
    for (const { subset, dataset: part, items: members } of subsetParts(dataset, items)) {
      const rows = members.map(({ id }) => [id, subset, ...IMAGE_COLUMNS.slice(2).map(() => '')]);
      await sink.addFile(`annotations/${subset}-images-with-rotation.csv`, Buffer.from(csvText([IMAGE_COLUMNS, ...rows]))); // prettier-ignore
      // The files of a subset are written one after the other, so its annotations are read more than once.
      const subsetFiles = new SubsetFiles(part, source, { items, subset, labels, sizes, sink });
      await subsetFiles.writeTags();
      await subsetFiles.writeBoxes();
      await writeAhead(sink, subsetFiles.masks());
    }
    if (sizes.size === 0) return;
    const lines = ['# <image name> <height> <width>', '', ...sizes.values()];
    await sink.addFile('annotations/images.meta', Buffer.from(lines.map((line) => `${line}\n`).join('')));
  },
};

const IMAGE_COLUMNS = [
  'ImageID',
  'Subset',
  'OriginalURL',
  'OriginalLandingURL',
  'License',
  'AuthorProfileURL',
  'Author',
  'Title',
  'OriginalSize',
  'OriginalMD5',
  'Thumbnail300KURL',
  'Rotation',
];
const TAG_COLUMNS = ['ImageID', 'Source', 'LabelName', 'Confidence'];
const BOX_COLUMNS = [...TAG_COLUMNS, 'XMin', 'XMax', 'YMin', 'YMax', ...BOX_FLAGS.map(([column]) => column)];
const MASK_COLUMNS = [
  'MaskPath',
  'ImageID',
  'LabelName',
  'BoxID',
  'BoxXMin',
  'BoxXMax',
  'BoxYMin',
  'BoxYMax',
  'PredictedIoU',
  'Clicks',
];

async function writeLabels(labels: readonly DatasetLabel[], sink: FileSink): Promise<void> {
  const names = labels.map(({ name }) => [name, name]);
  await sink.addFile('annotations/class-descriptions.csv', Buffer.from(csvText(names)));
  const parents = labels.flatMap(({ id, name: LabelName }) => {
    const parts = labels.filter(({ parentId }) => parentId === id).map(({ name }) => ({ LabelName: name }));
    return parts.length === 0 ? [] : [{ LabelName, Subcategory: parts }];
  });
  const hierarchy = JSON.stringify({ LabelName: '/m/0', Subcategory: parents }, undefined, 4);
  await sink.addFile('annotations/bbox_labels_600_hierarchy.json', Buffer.from(`${hierarchy}\n`));
}

interface SubsetContext {
  readonly items: DatasetItems;
  readonly subset: string;
  readonly labels: LabelNames;
  /** Lines of `images.meta` by image. */
  readonly sizes: Map<string, string>;
  readonly sink: FileSink;
}

class SubsetFiles {
  constructor(
    private readonly dataset: Dataset,
    private readonly source: AnnotationSource,
    private readonly context: SubsetContext,
  ) {}

  async writeTags(): Promise<void> {
    const { labels } = this.context;
    await this.writeRows('human-imagelabels', TAG_COLUMNS, ({ id, tags }) =>
      tags.map((tag) => {
        const score = attributeNamed(tagAttributes(tag, labels), 'score');
        return [id, '', labels.get(tag.label_id).name, String(score ?? 1)];
      }),
    );
  }

  async writeBoxes(): Promise<void> {
    const { labels, sizes } = this.context;
    await this.writeRows('bbox', BOX_COLUMNS, (item) => {
      const boxes = boxesOf(item);
      if (boxes.length > 0) sizes.set(item.id, `${shellWord(item.id)} ${item.frame.height} ${item.frame.width}`);
      return boxes.map((box) => {
        const attributes = shapeAttributes(box, labels);
        const score = String(attributeNamed(attributes, 'score') ?? 1);
        const flags = BOX_FLAGS.map(([, name]) => flagOf(attributes, name));
        return [item.id, '', labels.get(box.label_id).name, score, ...normalized(box, item), ...flags];
      });
    });
  }

  /** Masks are images, listed in a file. */
  async *masks(): AsyncGenerator<PendingFile> {
    const { subset, labels } = this.context;
    const rows: CsvValue[][] = [];
    const taken = new Set<string>();
    const numbers = new FreeNumbers();
    for await (const item of this.items()) {
      // The first box of each group.
      const boxes = new Map(
        boxesOf(item)
          .toReversed()
          .map((box) => [box.group, box]),
      );
      for (const [at, { shape, bitmap }] of masksIn(item).entries()) {
        const label = labels.get(shape.label_id).name;
        const attributes = shapeAttributes(shape, labels);
        const boxId = String(attributeNamed(attributes, 'box_id') ?? at.toString(16).padStart(8, '0'));
        const path = freeName(`${slug(item.id)}_${slug(label)}_${slug(boxId)}`, taken, numbers);
        const box = shape.group ? boxes.get(shape.group) : undefined;
        const place = box === undefined ? ['', '', '', ''] : normalized(box, item);
        const score = attributeNamed(attributes, 'predicted_iou');
        rows.push([path, item.id, label, boxId, ...place, String(score ?? ''), '']);
        yield { path: `masks/${subset}/${path}`, content: paintedPng(item.frame, GRAY, [{ bitmap, color: [1] }]) };
      }
    }
    if (rows.length === 0) return;
    const path = `annotations/${subset}-annotations-object-segmentation.csv`;
    yield textFile(path, csvText([MASK_COLUMNS, ...rows]));
  }

  private items(): AsyncGenerator<AnnotatedItem> {
    return annotatedItems(this.dataset, this.source, this.context.items);
  }

  /** Writes a file unless it has no rows. */
  private async writeRows(
    kind: string,
    columns: readonly string[],
    rowsOf: (item: AnnotatedItem) => CsvValue[][],
  ): Promise<void> {
    const items = this.items();
    const texts = async function* (): AsyncGenerator<string> {
      for await (const item of items) {
        const rows = rowsOf(item);
        if (rows.length > 0) yield csvText(rows);
      }
    };
    const pieces = inPieces(texts());
    const first = await pieces.next();
    if (first.done === true) return;
    const text = async function* (): AsyncGenerator<string> {
      yield csvText([columns]) + first.value;
      yield* pieces;
    };
    await this.context.sink.addFile(`annotations/${this.context.subset}-annotations-${kind}.csv`, text());
  }
}

const boxesOf = ({ shapes }: AnnotatedItem): FrameShape[] =>
  rotatedToPolygons(shapes).filter(({ type }) => type === 'rectangle');

const MASKS = new Set(['polygon', 'ellipse', 'mask'] as const);

const masksIn = ({ shapes, frame }: AnnotatedItem): ReturnType<typeof mergeGroups> =>
  mergeGroups(masksOf(rotatedToPolygons(shapes), frame, MASKS));

function normalized({ points }: FrameShape, { frame: { width, height } }: DatasetItem): number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points;
  return [x1 / width, x2 / width, y1 / height, y2 / height];
}

/** 1 or 0, or -1 if the label does not have the attribute. */
function flagOf(attributes: readonly ItemAttribute[], name: string): number {
  const value = attributeNamed(attributes, name);
  if (value === undefined) return -1;
  return value === true || value === 1 || /^(?:1|true)$/i.test(String(value)) ? 1 : 0;
}

const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_\s-]/g, '')
    .trim()
    .replaceAll(/[-\s]+/g, '-');

function freeName(name: string, taken: Set<string>, numbers: FreeNumbers): string {
  let free = `${name}.png`;
  while (taken.has(free)) free = `${name}_${numbers.take(name, 1)}.png`;
  taken.add(free);
  return free;
}

/** A word as in a shell: in single quotes if it has unusual characters. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
