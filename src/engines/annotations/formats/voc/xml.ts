import type { FrameShape } from '../annotated-frames.js';
import { type FileLocation, refuse, shown } from '../format.js';
import { attributeNamed, shapeAttributes } from '../items/attributes.js';
import { type DatasetItem, decimalText } from '../items/items.js';
import type { LabelNames } from '../label-names.js';
import { decimal } from '../../decimal.js';
import { element, longDocument, textElement, type XmlElement, type XmlText } from '../xml.js';

/** Attributes that have elements of their own. */
const OWN_ELEMENTS = new Set(['pose', 'truncated', 'occluded', 'difficult']);

/** The annotation file of an image. */
export const annotationXml = (
  item: DatasetItem,
  boxes: readonly FrameShape[],
  labels: LabelNames,
  isSegmented: boolean,
): Buffer => longDocument('annotation', elementsOf(item, boxes, labels, isSegmented));

function* elementsOf(
  { id, image, frame }: DatasetItem,
  boxes: readonly FrameShape[],
  labels: LabelNames,
  isSegmented: boolean,
): Generator<XmlText> {
  const underscore = id.indexOf('_');
  yield textElement('folder', underscore === -1 ? '' : id.slice(0, underscore));
  yield textElement('filename', image);
  yield element('source', '', [
    textElement('database', 'Unknown'),
    textElement('annotation', 'Unknown'),
    textElement('image', 'Unknown'),
  ]);
  yield element('size', '', [
    textElement('width', frame.width),
    textElement('height', frame.height),
    textElement('depth', ''),
  ]);
  yield textElement('segmented', Number(isSegmented));
  for (const box of boxes) yield objectElement(box, labels);
}

function objectElement(shape: FrameShape, labels: LabelNames): XmlText {
  const attributes = shapeAttributes(shape, labels);
  const flag = (name: string): XmlText => textElement(name, Number(isSet(attributeNamed(attributes, name))));
  const pose = attributes.find(({ name }) => name === 'pose');
  const others = attributes.filter(({ name }) => !OWN_ELEMENTS.has(name));
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = shape.points.map(decimalText);
  return element('object', '', [
    textElement('name', labels.get(shape.label_id).name),
    ...(pose === undefined ? [] : [textElement('pose', pose.text)]),
    ...['truncated', 'occluded', 'difficult'].map(flag),
    element('bndbox', '', [
      textElement('xmin', x1),
      textElement('ymin', y1),
      textElement('xmax', x2),
      textElement('ymax', y2),
    ]),
    element('attributes', '', others.map(({ name, text }) => element('attribute', '', [textElement('name', name), textElement('value', text)]))), // prettier-ignore
  ]);
}

const isSet = (value: string | number | boolean | undefined): boolean =>
  typeof value === 'string' ? /^(?:1|true)$/i.test(value) : Boolean(value);

/** An object of an annotation file. */
export interface VocObject {
  readonly label: string;
  readonly points: readonly number[];
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly location: FileLocation;
}

/** Every object has them. */
export const FLAGS = ['difficult', 'truncated', 'occluded'];

/** @throws FormatError if the object has no label or no box */
export function objectOf(object: XmlElement): VocObject | undefined {
  const { location } = object;
  const label = textOf(object, 'name') ?? refuse(location, 'an object has no name');
  const box = childOf(object, 'bndbox');
  if (box === undefined) return undefined;
  const points = ['xmin', 'ymin', 'xmax', 'ymax'].map((name) => {
    const text = textOf(box, name) ?? refuse(location, `a box has no ${name}`);
    const value = decimal(text);
    return Number.isFinite(value) ? value : refuse(location, `${name} ${shown(text)} is not a number`);
  });
  const attributes: [string, string][] = [];
  for (const name of FLAGS) {
    const text = textOf(object, name);
    if (text !== undefined) attributes.push([name, text === '1' ? 'True' : 'False']);
  }
  const pose = childOf(object, 'pose')?.text;
  if (pose !== undefined) attributes.push(['pose', pose]);
  for (const attribute of childOf(object, 'attributes')?.children ?? []) {
    const name = textOf(attribute, 'name');
    if (name !== undefined) attributes.push([name, childOf(attribute, 'value')?.text ?? '']);
  }
  return { label, points, attributes, location };
}

const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((child) => child.name === name);

const textOf = (parent: XmlElement, name: string): string | undefined => childOf(parent, name)?.text.trim();
