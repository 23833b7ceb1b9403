import type { Dataset } from '../dataset.js';
import { subsetFolder } from '../dataset.js';
import { type AnnotationSource, type ExportFormat, FormatError, shown } from '../format.js';
import { sortedLabelColors, type Rgb, vocColor } from '../items/colors.js';
import { byLayer, type ItemMask, masksOf } from '../items/conversions.js';
import { type AnnotatedItem, annotatedItems, type DatasetItem, itemsWith } from '../items/items.js';
import { requireDistinctIds, requireListable, requireListableLabels } from '../items/names.js';
import { areaMasks, paintedPng, RGB } from '../items/painting.js';
import { type PendingFile, textFile, writeAhead } from '../items/write-ahead.js';
import { LabelNames } from '../label-names.js';
import { fileName, indexColored, labelMapText, segmentationMaskInfo, vocInfo } from './layout.js';
import { annotationXml } from './xml.js';

/** The ids of images have no subset, so images of the same name get different ids even in different subsets. */
const vocItems = itemsWith(() => () => '');

const imagePath: ExportFormat['imagePath'] = (frame, _task, dataset) =>
  `JPEGImages/${vocItems(dataset).of(frame).image}`;

export const segmentationMaskExport: ExportFormat = {
  info: segmentationMaskInfo,
  imagePath,
  write: (dataset, source, sink) => writeAhead(sink, segmentationFiles(dataset, source)),
};

async function* segmentationFiles(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  const labels = sortedLabelColors(dataset.labels);
  const colors = new Map(labels.map(({ id, color }) => [id, color]));
  requireListable(segmentationMaskInfo.name, vocItems(dataset));
  requireDistinctIds(segmentationMaskInfo.name, vocItems(dataset));
  requireListableLabels(segmentationMaskInfo.name, dataset.labels);
  yield textFile('labelmap.txt', labelMapText(labels));
  const lists = new ImageLists();
  for await (const item of annotatedItems(dataset, source, vocItems(dataset))) {
    const masks = areaMasks(item.shapes, item.frame);
    if (masks.length > 0 || isListed(item)) lists.add('Segmentation', subsetOf(item), item.id);
    yield* maskFiles(item, masks, colors);
  }
  yield* lists.files();
}

export const vocExport: ExportFormat = {
  info: vocInfo,
  imagePath,
  write: (dataset, source, sink) => writeAhead(sink, vocFiles(dataset, source)),
};

async function* vocFiles(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  const labels = indexColored(dataset.labels);
  const colors = new Map(labels.map(({ label, color }) => [label?.id ?? null, color]));
  const names = new LabelNames(dataset.labels);
  requireListable(vocInfo.name, vocItems(dataset));
  requireDistinctIds(vocInfo.name, vocItems(dataset));
  requireListableLabels(vocInfo.name, dataset.labels);
  yield textFile('labelmap.txt', labelMapText(labels));
  const lists = new ImageLists();
  for await (const item of annotatedItems(dataset, source, vocItems(dataset))) {
    const masks = masksOf(item.shapes, item.frame, PIXELS);
    const boxes = item.shapes.filter(({ type }) => type === 'rectangle');
    const subset = subsetOf(item);
    lists.add('Main', subset, item.id);
    if (masks.length > 0 || isListed(item)) lists.add('Segmentation', subset, item.id);
    if (isEmpty(item)) for (const kind of ['Layout', 'Action']) lists.add(kind, subset, item.id);
    addTags(item, labels, lists);
    yield { path: `Annotations/${item.id}.xml`, content: annotationXml(item, boxes, names, masks.length > 0) };
    yield* maskFiles(item, masks, colors);
  }
  yield* lists.files();
}

const PIXELS = new Set(['ellipse', 'mask'] as const);

const subsetOf = ({ task }: DatasetItem): string => subsetFolder(task);

/** Whether no annotation of the image is one that formats of images know. */
const isEmpty = ({ tags, shapes }: AnnotatedItem): boolean =>
  tags.length === 0 && shapes.every(({ type }) => type === 'cuboid');

/** Whether an image is listed although it has no mask with pixels. */
const isListed = (item: AnnotatedItem): boolean => isEmpty(item) || item.shapes.some(({ type }) => type === 'mask');

function addTags(
  { tags, id, ...item }: AnnotatedItem,
  labels: ReturnType<typeof indexColored<Dataset['labels'][number]>>,
  lists: ImageLists,
): void {
  if (tags.length === 0) return;
  const present = new Set(tags.map(({ label_id }) => label_id));
  for (const { name, label } of labels) {
    const isPresent = label !== undefined && present.has(label.id);
    lists.add('Main', `${fileName(name)}_${subsetFolder(item.task)}`, `${id} ${isPresent ? ' 1' : '-1'}`, name);
  }
}

function* maskFiles(
  { id, frame }: DatasetItem,
  masks: readonly ItemMask[],
  colors: ReadonlyMap<number | null, Rgb>,
): Generator<PendingFile> {
  if (masks.length === 0) return;
  const layers = byLayer(masks);
  const classes = layers.map(({ shape, bitmap }) => ({ bitmap, color: colors.get(shape.label_id) ?? [0, 0, 0] }));
  const objects = layers.map(({ bitmap }, at) => ({ bitmap, color: vocColor(at + 1) }));
  yield { path: `SegmentationClass/${id}.png`, content: paintedPng(frame, RGB, classes) };
  yield { path: `SegmentationObject/${id}.png`, content: paintedPng(frame, RGB, objects) };
}

/** Lists of images, a file for each. */
class ImageLists {
  private readonly lists = new Map<string, { readonly owner: string; readonly lines: string[] }>();

  /**
   * @param owner the label that the list belongs to; empty if it is the list of a subset
   * @throws FormatError if another list has this name
   */
  add(kind: string, name: string, line: string, owner = ''): void {
    const path = `ImageSets/${kind}/${name}.txt`;
    const list = this.lists.get(path);
    if (list === undefined) this.lists.set(path, { owner, lines: [line] });
    else if (list.owner === owner) list.lines.push(line);
    else
      throw new FormatError(`PASCAL VOC 1.1 has one file ${shown(path)} for several labels or subsets of the dataset.`);
  }

  *files(): Generator<PendingFile> {
    for (const [path, { lines }] of this.lists) yield textFile(path, `${lines.join('\n')}\n`);
  }
}
