import { posix } from 'node:path';
import { decimal } from '../decimal.js';
import type { AttributeValue, FrameShape, Shape, ShapeElement, ShapeType } from '../../../shared/annotations/model.js';
import { CUBOID_CORNERS, SHAPE_ELEMENTS } from './cvat-xml-write.js';
import type { DatasetLabel } from './dataset.js';
import { refuse, shown, type DatasetFiles, type FoundAttribute, type FoundLabel } from './format.js';
import { attributeValues, type LabelNames, FoundLabels, requireFew } from './label-names.js';
import { type XmlElement, readXml } from './xml.js';

const TYPES: ReadonlyMap<string, ShapeType> = new Map(
  (Object.entries(SHAPE_ELEMENTS) as [ShapeType, string][]).map(([type, name]) => [name, type]),
);

/** The type of shape that an element describes; undefined for other elements. */
export const shapeTypeOf = (element: XmlElement): ShapeType | undefined => TYPES.get(element.name);

/** @throws FormatError if the attribute is absent */
export function required(element: XmlElement, name: string): string {
  return element.attributes[name] ?? refuse(element.location, `<${element.name}> has no attribute ${name}`);
}

/** @throws FormatError if the attribute is not a number, or is absent without a default */
export function numberOf(element: XmlElement, name: string, otherwise?: number): number {
  if (otherwise !== undefined && element.attributes[name] === undefined) return otherwise;
  return toNumber(required(element, name), element, name);
}

function toNumber(text: string, element: XmlElement, name: string): number {
  const value = decimal(text);
  if (!Number.isNaN(value)) return value;
  return refuse(element.location, `${name} of <${element.name}> is ${shown(text)}, not a number`);
}

/** @throws FormatError if the attribute is not a boolean; an absent one has the default value */
export function flagOf(element: XmlElement, name: string, otherwise = false): boolean {
  const text = element.attributes[name];
  if (text === undefined) return otherwise;
  if (text === '1' || text.toLowerCase() === 'true') return true;
  if (text === '0' || text.toLowerCase() === 'false') return false;
  return refuse(element.location, `${name} of <${element.name}> is ${shown(text)}, neither 0 nor 1`);
}

/** Group and source of an annotation; by default 0 and `file`. */
export const originOf = (element: XmlElement): { group: number; source: string } => ({
  group: numberOf(element, 'group_id', 0),
  source: element.attributes['source'] || 'file',
});

/** The attribute values inside an annotation element. */
export const valuesOf = (element: XmlElement, label: DatasetLabel): AttributeValue[] =>
  attributeValues(
    label,
    element.children
      .filter((child) => child.name === 'attribute')
      .map((child) => [required(child, 'name'), child.text] as const),
    element.location,
  );

/** The fields that single shapes and keyframes share. */
export function geometryOf(element: XmlElement, type: ShapeType, frame: number): FrameShape {
  return {
    type,
    frame,
    occluded: flagOf(element, 'occluded'),
    outside: flagOf(element, 'outside'),
    z_order: numberOf(element, 'z_order', 0),
    rotation: numberOf(element, 'rotation', 0),
    points: pointsOf(element, type),
  };
}

/** A single shape with its elements. */
export function shapeOf(element: XmlElement, type: ShapeType, frame: number, labels: LabelNames): Shape {
  const label = labels.named(required(element, 'label'), element.location);
  const elements = type === 'skeleton' ? partsOf(element, label, frame, labels) : [];
  return Object.assign(labelledShape(element, type, frame, label), { outside: false, elements });
}

function partsOf(element: XmlElement, skeleton: DatasetLabel, frame: number, labels: LabelNames): ShapeElement[] {
  return element.children.flatMap((child) => {
    if (child.name === 'attribute') return [];
    const type = shapeTypeOf(child) ?? refuse(child.location, `a skeleton cannot contain ${shown(`<${child.name}>`)}`);
    const label = labels.elementNamed(skeleton, required(child, 'label'), child.location);
    return [labelledShape(child, type, frame, label)];
  });
}

const labelledShape = (element: XmlElement, type: ShapeType, frame: number, label: DatasetLabel): ShapeElement =>
  Object.assign(geometryOf(element, type, frame), originOf(element), {
    id: null,
    label_id: label.id,
    attributes: valuesOf(element, label),
    score: 1,
  });

/** Reads coordinates from the attributes of an element. */
function pointsOf(element: XmlElement, type: ShapeType): number[] {
  const numbers = (...names: string[]): number[] => names.map((name) => numberOf(element, name));
  switch (type) {
    case 'rectangle':
      return numbers('xtl', 'ytl', 'xbr', 'ybr');
    case 'ellipse':
      return ellipsePoints(element);
    case 'cuboid':
      return numbers(...CUBOID_CORNERS.flatMap((corner) => [`x${corner}`, `y${corner}`]));
    case 'mask':
      return maskPoints(element);
    case 'skeleton':
      return [];
    case 'polygon':
    case 'polyline':
    case 'points':
      return required(element, 'points')
        .split(/[;,]/)
        .map((text) => toNumber(text, element, 'points'));
  }
}

function ellipsePoints(element: XmlElement): number[] {
  const [cx, cy] = [numberOf(element, 'cx'), numberOf(element, 'cy')];
  return [cx, cy, cx + numberOf(element, 'rx'), cy - numberOf(element, 'ry')];
}

function maskPoints(element: XmlElement): number[] {
  const runs = required(element, 'rle')
    .split(',')
    .map((text) => toNumber(text, element, 'rle'));
  const [left, top] = [numberOf(element, 'left'), numberOf(element, 'top')];
  const [right, bottom] = [left + numberOf(element, 'width') - 1, top + numberOf(element, 'height') - 1];
  return [...runs, left, top, right, bottom];
}

/** The path of the labels: `annotations/meta/task/labels/label`, or with `job` or `project` instead of `task`. */
const LABEL_PATH = /^annotations\/meta\/(?:task|job|project)\/labels$/;

/** The labels that a CVAT XML file describes or, without a description, those that its annotations use. */
export async function cvatLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const described = await describedLabels(files, path);
  return described.length > 0 ? described : usedLabels(files, path);
}

async function describedLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const open: string[] = [];
  const elements: XmlElement[] = [];
  for await (const piece of readXml(files.read(path), posix.basename(path), { wholeAt: 5, skip: 'tasks' })) {
    for (const event of piece) {
      if (event.kind === 'open') open.push(event.element.name);
      else if (event.kind === 'whole') {
        if (event.element.name === 'label' && LABEL_PATH.test(open.join('/'))) {
          elements.push(event.element);
          requireFew(elements.length);
        }
      } else if (open.pop() === 'meta') return labelsOf(elements);
    }
  }
  return labelsOf(elements);
}

/** The elements of a skeleton follow it and name it as their parent. */
function labelsOf(elements: readonly XmlElement[]): FoundLabel[] {
  const sublabels = new Map<string, FoundLabel[]>();
  const found: FoundLabel[] = [];
  for (const element of elements) {
    const label = labelOf(element);
    const parent = textOf(element, 'parent');
    if (parent === '') {
      found.push(label);
    } else {
      const others = sublabels.get(parent) ?? [];
      others.push(label);
      sublabels.set(parent, others);
    }
  }
  return found.map((label) => ({ ...label, sublabels: sublabels.get(label.name) ?? [] }));
}

function labelOf(element: XmlElement): FoundLabel {
  const attributes = childrenOf(element, 'attributes').flatMap((list) => childrenOf(list, 'attribute'));
  return {
    name: textOf(element, 'name'),
    color: textOf(element, 'color'),
    type: textOf(element, 'type') || 'any',
    attributes: attributes.map(attributeOf),
    svg: textOf(element, 'svg'),
  };
}

const attributeOf = (element: XmlElement): FoundAttribute => ({
  name: textOf(element, 'name'),
  mutable: textOf(element, 'mutable').toLowerCase() === 'true',
  input_type: textOf(element, 'input_type'),
  default_value: textOf(element, 'default_value'),
  values: textOf(element, 'values').split('\n'),
});

const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);

const textOf = (element: XmlElement, name: string): string => childrenOf(element, name)[0]?.text ?? '';

async function usedLabels(files: DatasetFiles, path: string): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  const take = ({ attributes: { label } }: XmlElement): void => {
    if (label !== undefined) found.add(label);
  };
  for await (const piece of readXml(files.read(path), posix.basename(path), { wholeAt: 3, skip: 'meta' })) {
    for (const event of piece) if (event.kind !== 'close') take(event.element);
  }
  return found.list();
}
