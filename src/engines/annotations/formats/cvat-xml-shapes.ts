import { MASK_BOX } from '../points-layout.js';
import type { AttributeValue, Shape, ShapeElement, ShapeType, Tag } from '../model.js';
import type { LabelNames } from './label-names.js';
import { element, labelledText, type XmlAttributes, type XmlText } from './xml-writer.js';

/** The names of the elements of CVAT's XML by type. */
export const SHAPE_ELEMENTS: Readonly<Record<ShapeType, string>> = {
  rectangle: 'box',
  ellipse: 'ellipse',
  polygon: 'polygon',
  polyline: 'polyline',
  points: 'points',
  cuboid: 'cuboid',
  mask: 'mask',
  skeleton: 'skeleton',
};

/** The corners of a cuboid in the order of its points; each has x and y. */
export const CUBOID_CORNERS = ['tl1', 'bl1', 'tr1', 'br1', 'tl2', 'bl2', 'tr2', 'br2'] as const;

/** Numbers have two decimals in CVAT's XML. */
const number = (value: number | undefined): string => (value ?? 0).toFixed(2);

export const flag = (value: boolean): '0' | '1' => (value ? '1' : '0');

/** Coordinates as the attributes of an element. */
export function geometryAttributes(shape: Pick<Shape, 'type' | 'points' | 'rotation'>): XmlAttributes {
  const { type, points } = shape;
  const rotation = shape.rotation === 0 ? undefined : number(shape.rotation);
  const [a = 0, b = 0, c = 0, d = 0] = points;
  switch (type) {
    case 'rectangle':
      return { xtl: number(a), ytl: number(b), xbr: number(c), ybr: number(d), rotation };
    case 'ellipse':
      return { cx: number(a), cy: number(b), rx: number(c - a), ry: number(b - d), rotation };
    case 'cuboid':
      return cuboidAttributes(points);
    case 'mask':
      return maskAttributes(points);
    case 'skeleton':
      return {};
    case 'polygon':
    case 'polyline':
    case 'points':
      return { points: pairs(points) };
  }
}

function pairs(points: readonly number[]): string {
  let text = '';
  for (let i = 0; i < points.length; i += 2) {
    text += `${i === 0 ? '' : ';'}${number(points[i])},${number(points[i + 1])}`;
  }
  return text;
}

function cuboidAttributes(points: readonly number[]): XmlAttributes {
  const corners = CUBOID_CORNERS.flatMap((corner, i) => [
    [`x${corner}`, number(points[2 * i])],
    [`y${corner}`, number(points[2 * i + 1])],
  ]);
  return Object.fromEntries(corners) as XmlAttributes;
}

function maskAttributes(points: readonly number[]): XmlAttributes {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-MASK_BOX);
  const rle = points.slice(0, -MASK_BOX).join(', ');
  return { rle, left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** A single shape within an image. */
export function imageShape(shape: Shape, labels: LabelNames): XmlText {
  return element(
    SHAPE_ELEMENTS[shape.type],
    {
      label: labels.get(shape.label_id).name,
      source: shape.source,
      occluded: flag(shape.occluded),
      ...geometryAttributes(shape),
      z_order: shape.z_order,
      ...groupAttribute(shape.group),
    },
    [...shape.elements.map((part) => skeletonElement(part, labels)), ...valueElements(shape.attributes, labels)],
  );
}

function skeletonElement(part: ShapeElement, labels: LabelNames): XmlText {
  return element(
    SHAPE_ELEMENTS[part.type],
    {
      label: labels.get(part.label_id).name,
      source: part.source,
      outside: flag(part.outside),
      occluded: flag(part.occluded),
      ...geometryAttributes(part),
      z_order: part.z_order,
    },
    valueElements(part.attributes, labels),
  );
}

/** A tag within an image. */
export const imageTag = (tag: Tag, labels: LabelNames): XmlText =>
  element(
    'tag',
    { label: labels.get(tag.label_id).name, source: tag.source, ...groupAttribute(tag.group) },
    valueElements(tag.attributes, labels),
  );

export const groupAttribute = (group: number | null): XmlAttributes => ({ group_id: group || undefined });

/** Attributes of an annotation; one that its label does not have any more is left out. */
export const valueElements = (values: readonly AttributeValue[], labels: LabelNames): XmlText[] =>
  values.flatMap(({ spec_id, value }) => {
    const name = labels.attribute(spec_id)?.name;
    return name === undefined ? [] : [labelledText('attribute', { name }, value)];
  });
