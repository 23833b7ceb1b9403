import { posix } from 'node:path';
import { contentBox, partOf } from '../../../../shared/annotations/mask.js';
import type { FrameShape } from '../annotated-frames.js';
import { type DatasetFrame, groupedBy } from '../dataset.js';
import type { ExportFormat, FileSink } from '../format.js';
import { type ItemAttribute, shapeAttributes } from '../items/attributes.js';
import { bitmapOf, type ItemMask, paint } from '../items/conversions.js';
import { type AnnotatedItem, annotatedItems, cornersOf, itemsWith } from '../items/items.js';
import { encodePng } from '../items/png.js';
import { LabelNames } from '../label-names.js';
import { element, textElement, type XmlText } from '../xml.js';
import { attributesText } from './attributes.js';

const labelMeItems = itemsWith();

export const labelMeExport: ExportFormat = {
  info: { name: 'LabelMe 3.0', ext: 'ZIP', version: '3.0', enabled: true, dimension: '2d' },
  imagePath(frame, _task, dataset) {
    const { subset, image } = labelMeItems(dataset).of(frame);
    return `${subset}/${image}`;
  },
  async write(dataset, source, sink) {
    const labels = new LabelNames(dataset.labels);
    const taken = new Set<string>();
    for await (const item of annotatedItems(dataset, source, labelMeItems(dataset))) {
      // Two images may differ only in their extension.
      const name = taken.has(`${item.subset}/${item.id}`) ? item.image : item.id;
      taken.add(`${item.subset}/${name}`);
      const objects = await writeObjects(item, name, labels, sink);
      await sink.addFile(`${item.subset}/${name}.xml`, Buffer.from(annotationXml(item, objects)));
    }
  },
};

function annotationXml({ image, frame }: AnnotatedItem, objects: readonly XmlText[]): string {
  const folder = posix.dirname(image);
  return element('annotation', '', [
    textElement('filename', posix.basename(image)),
    textElement('folder', folder === '.' ? '' : folder),
    element('source', '', [textElement('sourceImage', ''), textElement('sourceAnnotation', 'Datumaro')]),
    element('imagesize', '', [textElement('nrows', frame.height), textElement('ncols', frame.width)]),
    ...objects,
  ]).xml;
}

/** Writes the masks of an image. @returns its objects, numbered from 0 */
async function writeObjects(
  { shapes, frame, subset }: AnnotatedItem,
  name: string,
  labels: LabelNames,
  sink: FileSink,
): Promise<XmlText[]> {
  const objects = shapes.flatMap((shape) => objectOf(shape, frame));
  const groups = groupedBy(objects.keys(), (id) => objects[id]?.shape.group ?? 0);
  const found: XmlText[] = [];
  for (const [id, object] of objects.entries()) {
    const attributes = shapeAttributes(object.shape, labels);
    const parts = object.shape.group ? (groups.get(object.shape.group) ?? []) : [];
    const mask = `${name}_mask_${id}.png`;
    if (object.bitmap !== undefined) await sink.addFile(`${subset}/Masks/${mask}`, await maskPng(object.bitmap, frame));
    found.push(
      element('object', '', [
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
        ...geometryOf(object, mask, usernameIn(attributes)),
        textElement('attributes', attributesText(attributes)),
      ]),
    );
  }
  return found;
}

/** A shape, and its pixels if it is written as a mask. */
interface LabelMeObject {
  readonly shape: FrameShape;
  readonly bitmap?: ItemMask['bitmap'];
}

function objectOf(shape: FrameShape, frame: DatasetFrame): LabelMeObject[] {
  if (shape.type === 'rectangle' || shape.type === 'polygon') return [{ shape }];
  if (shape.type !== 'mask' && shape.type !== 'ellipse') return [];
  const bitmap = bitmapOf(shape, frame);
  const box = bitmap && contentBox(bitmap);
  return bitmap === undefined || box === undefined ? [] : [{ shape, bitmap: partOf(bitmap, box) }];
}

function geometryOf({ shape, bitmap }: LabelMeObject, mask: string, username: string): XmlText[] {
  if (bitmap !== undefined) {
    const { left, top, width, height } = bitmap;
    const box = [
      ['xmin', left],
      ['ymin', top],
      ['xmax', left + width],
      ['ymax', top + height],
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
