import { posix } from 'node:path';
import type { FrameShape } from '../annotated-frames.js';
import { type Dataset, type DatasetFrame, groupedBy } from '../dataset.js';
import type { AnnotationSource, ExportFormat } from '../format.js';
import { type ItemAttribute, shapeAttributes } from '../items/attributes.js';
import { bitmapOf, type ItemMask, paint } from '../items/conversions.js';
import { DrawingBudget } from '../items/drawing-budget.js';
import { type AnnotatedItem, annotatedItems, cornersOf, itemsWith } from '../items/items.js';
import { encodePng } from '../items/png.js';
import { type PendingFile, writeAhead } from '../items/write-ahead.js';
import { LabelNames } from '../label-names.js';
import { element, longDocument, textElement, type XmlText } from '../xml.js';
import { attributesText } from './attributes.js';

const labelMeItems = itemsWith();

export const labelMeExport: ExportFormat = {
  info: { name: 'LabelMe 3.0', ext: 'ZIP', version: '3.0', enabled: true, dimension: '2d' },
  imagePath(frame, _task, dataset) {
    const { subset, image } = labelMeItems(dataset).of(frame);
    return `${subset}/${image}`;
  },
  write: (dataset, source, sink) => writeAhead(sink, filesOf(dataset, source)),
};

async function* filesOf(dataset: Dataset, source: AnnotationSource): AsyncGenerator<PendingFile> {
  const labels = new LabelNames(dataset.labels);
  const taken = new Set<string>();
  for await (const item of annotatedItems(dataset, source, labelMeItems(dataset))) {
    // Two images may differ only in their extension.
    const name = taken.has(`${item.subset}/${item.id}`) ? item.image : item.id;
    taken.add(`${item.subset}/${name}`);
    const budget = new DrawingBudget(item.frame);
    const objects = item.shapes.flatMap((shape) => objectOf(shape, item.frame, budget));
    yield* masksOf(item, name, objects);
    const elements = annotationElements(item, name, objects, labels);
    yield { path: `${item.subset}/${name}.xml`, content: longDocument('annotation', elements) };
  }
}

function* masksOf(
  { frame, subset }: AnnotatedItem,
  name: string,
  objects: readonly LabelMeObject[],
): Generator<PendingFile> {
  for (const [id, { bitmap }] of objects.entries()) {
    if (bitmap === undefined) continue;
    yield { path: `${subset}/Masks/${maskName(name, id)}`, content: maskPng(bitmap, frame) };
  }
}

const maskName = (name: string, id: number): string => `${name}_mask_${id}.png`;

function* annotationElements(
  { image, frame }: AnnotatedItem,
  name: string,
  objects: readonly LabelMeObject[],
  labels: LabelNames,
): Generator<XmlText> {
  const folder = posix.dirname(image);
  yield textElement('filename', posix.basename(image));
  yield textElement('folder', folder === '.' ? '' : folder);
  yield element('source', '', [textElement('sourceImage', ''), textElement('sourceAnnotation', 'Datumaro')]);
  yield element('imagesize', '', [textElement('nrows', frame.height), textElement('ncols', frame.width)]);
  const groups = groupedBy(objects.keys(), (id) => objects[id]?.shape.group ?? 0);
  for (const [id, object] of objects.entries()) {
    const attributes = shapeAttributes(object.shape, labels);
    const parts = object.shape.group ? (groups.get(object.shape.group) ?? []) : [];
    yield element('object', '', [
      textElement('name', labels.get(object.shape.label_id).name),
      textElement('deleted', 0),
      textElement('verified', 0),
      textElement('occluded', object.shape.occluded ? 'yes' : 'no'),
      textElement('date', ''),
      textElement('id', id),
      element('parts', '', [
        textElement('hasparts', parts[0] === id ? parts.slice(1).join(',') : ''),
        textElement('ispartof', parts[0] === id ? '' : (parts[0] ?? '')),
      ]),
      ...geometryOf(object, maskName(name, id), usernameIn(attributes)),
      textElement('attributes', attributesText(attributes)),
    ]);
  }
}

/** A shape, and its pixels if it is written as a mask. */
interface LabelMeObject {
  readonly shape: FrameShape;
  readonly bitmap?: ItemMask['bitmap'];
}

function objectOf(shape: FrameShape, frame: DatasetFrame, budget: DrawingBudget): LabelMeObject[] {
  if (shape.type === 'rectangle' || shape.type === 'polygon') return [{ shape }];
  if (shape.type !== 'mask' && shape.type !== 'ellipse') return [];
  const bitmap = bitmapOf(shape, frame, budget);
  return bitmap === undefined ? [] : [{ shape, bitmap }];
}

function geometryOf({ shape, bitmap }: LabelMeObject, mask: string, username: string): XmlText[] {
  if (bitmap !== undefined) {
    const { left, top, right, bottom } = bitmap;
    const box = [
      ['xmin', left],
      ['ymin', top],
      ['xmax', right + 1],
      ['ymax', bottom + 1],
    ] as const;
    return [
      element('segm', '', [
        textElement('mask', mask),
        element(
          'box',
          '',
          box.map(([name, value]) => textElement(name, value.toFixed(2))),
        ),
        textElement('username', username),
      ]),
    ];
  }
  const isRectangle = shape.type === 'rectangle';
  const points = isRectangle ? cornersOf({ points: shape.points, rotation: 0 }) : shape.points;
  const polygon = element('polygon', '', [...pointElements(points), textElement('username', username)]);
  return isRectangle ? [textElement('type', 'bounding_box'), polygon] : [polygon];
}

function* pointElements(points: readonly number[]): Generator<XmlText> {
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    yield element('pt', '', [textElement('x', x.toFixed(2)), textElement('y', y.toFixed(2))]);
  }
}

const usernameIn = (attributes: readonly ItemAttribute[]): string =>
  attributes.find(({ name }) => name === 'username')?.text ?? '';

/** The colour of masks, with transparency, as LabelMe draws them. */
const FOREGROUND = [0, 203, 255, 153];

function maskPng(bitmap: ItemMask['bitmap'], { width, height }: DatasetFrame): Promise<Uint8Array> {
  const data = new Uint8Array(width * height * FOREGROUND.length);
  paint({ width, data }, bitmap, FOREGROUND);
  return encodePng({ width, height, channels: FOREGROUND.length, data });
}
