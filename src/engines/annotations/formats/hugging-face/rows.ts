import type { FrameShape } from '../annotated-frames.js';
import { type FileLocation, refuse } from '../format.js';
import { attributeNamed, type ItemAttribute, shapeAttributes, tagAttributes } from '../items/attributes.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { type AnnotatedItem, boundsOf, cornersOf, twoDecimals } from '../items/items.js';
import { type JsonObject, listOf, numbersOf, objectOf, parseJson, textsOf } from '../json-values.js';
import type { LabelNames } from '../label-names.js';
import { SHAPE_TYPES, type ShapeType } from '../../../../shared/annotations/model.js';

/** The objects of an image, as columns: the form in which Hugging Face's loaders read boxes. */
export interface ObjectColumns {
  /** Left, top, width and height in pixels. */
  readonly bbox: number[][];
  readonly category: string[];
  readonly type: string[];
  /** Coordinates as in the API. */
  readonly points: number[][];
  /** In degrees. */
  readonly rotation: number[];
  readonly occluded: boolean[];
  readonly z_order: number[];
  readonly group: number[];
  readonly track_id: (number | null)[];
  readonly keyframe: (boolean | null)[];
  /** JSON objects. */
  readonly attributes: string[];
}

/** The metadata of an image. */
export interface MetadataRow {
  /** Relative to the folder of the metadata. */
  readonly file_name: string;
  readonly width: number;
  readonly height: number;
  readonly tags: string[];
  /** JSON objects, one for each tag. */
  readonly tag_attributes: string[];
  readonly objects: ObjectColumns;
}

const emptyColumns = (): ObjectColumns => ({
  bbox: [],
  category: [],
  type: [],
  points: [],
  rotation: [],
  occluded: [],
  z_order: [],
  group: [],
  track_id: [],
  keyframe: [],
  attributes: [],
});

/** Fields that have columns of their own. */
const OWN_COLUMNS = new Set(['occluded', 'rotation', 'track_id', 'keyframe']);

const attributesText = (attributes: readonly ItemAttribute[]): string =>
  JSON.stringify(
    Object.fromEntries(attributes.filter(({ name }) => !OWN_COLUMNS.has(name)).map(({ name, value }) => [name, value])),
  );

/** The row of an image. Skeletons are left out. */
export function rowOf(item: AnnotatedItem, labels: LabelNames): MetadataRow {
  const objects = emptyColumns();
  for (const shape of item.shapes) {
    if (shape.type === 'skeleton') continue;
    const attributes = shapeAttributes(shape, labels);
    const [left, top, right, bottom] = boxOf(shape);
    objects.bbox.push([left, top, right - left, bottom - top].map(twoDecimals));
    objects.category.push(labels.get(shape.label_id).name);
    objects.type.push(shape.type);
    objects.points.push([...shape.points]);
    objects.rotation.push(shape.rotation);
    objects.occluded.push(attributeNamed(attributes, 'occluded') === true);
    objects.z_order.push(shape.z_order);
    objects.group.push(shape.group ?? 0);
    objects.track_id.push(shape.track ?? null);
    objects.keyframe.push(shape.track === undefined ? null : shape.keyframe === true);
    objects.attributes.push(attributesText(attributes));
  }
  return {
    file_name: item.image,
    width: item.frame.width,
    height: item.frame.height,
    tags: item.tags.map((tag) => labels.get(tag.label_id).name),
    tag_attributes: item.tags.map((tag) => attributesText(tagAttributes(tag, labels))),
    objects,
  };
}

function boxOf(shape: FrameShape): readonly [number, number, number, number] {
  const { type, points } = shape;
  if (type === 'mask') {
    const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-4);
    return [left, top, right + 1, bottom + 1];
  }
  if (type === 'rectangle') return boundsOf(cornersOf(shape));
  if (type !== 'ellipse') return boundsOf(points);
  const [cx = 0, cy = 0, right = 0, top = 0] = points;
  return [2 * cx - right, top, right, 2 * cy - top];
}

/** The annotations of a row, whichever tool wrote it: everything except boxes and their categories may be missing. */
export function annotationsOf(row: JsonObject, labels: LabelNames, location: FileLocation): FoundAnnotation[] {
  const tags = listIn(row, 'tags', location).map((name, at): FoundAnnotation => {
    const text = listIn(row, 'tag_attributes', location)[at];
    const label = labels.named(textOf(name, 'a tag', location), location);
    return { type: 'tag', label, attributes: jsonTexts(text, location), location };
  });
  const objects = objectOf(row['objects'] ?? {}, location);
  const categories = listOf(objects['category'] ?? objects['categories'] ?? [], 'category', location);
  for (const column of ['bbox', 'points', 'type']) {
    const { length } = listIn(objects, column, location);
    if (length > categories.length) refuse(location, `objects have ${length} ${column}, but ${categories.length} categories`); // prettier-ignore
  }
  return [...tags, ...categories.map((category, at) => objectAt(objects, category, at, { labels, location }))];
}

function objectAt(
  objects: JsonObject,
  category: unknown,
  at: number,
  { labels, location: place }: { readonly labels: LabelNames; readonly location: FileLocation },
): FoundAnnotation {
  const location = `${place}, objects[${at}]`;
  const cell = (name: string): unknown => listIn(objects, name, location)[at] ?? undefined;
  const number = (name: string): number => {
    const value = cell(name) ?? 0;
    return typeof value === 'number' ? value : refuse(location, `${name} is not a number`);
  };
  const [type, track, keyframe] = [shapeType(cell('type'), location), cell('track_id'), cell('keyframe')];
  return {
    type,
    label: labels.named(textOf(category, 'category', location), location),
    points: cell('points') === undefined ? cornersIn(cell('bbox'), location) : numbersOf(cell('points'), 'points', location), // prettier-ignore
    rotation: number('rotation'),
    occluded: cell('occluded') === true,
    zOrder: number('z_order'),
    group: number('group'),
    ...(typeof track === 'number' && { track, keyframe: keyframe !== false }),
    attributes: jsonTexts(cell('attributes'), location),
    location,
  };
}

function shapeType(value: unknown, location: FileLocation): ShapeType {
  if (value === undefined) return 'rectangle';
  const type = SHAPE_TYPES.find((known) => known === value && known !== 'skeleton');
  return type ?? refuse(location, `there is no type ${JSON.stringify(value)?.slice(0, 40)} of objects`);
}

function cornersIn(bbox: unknown, location: FileLocation): number[] {
  const numbers = numbersOf(bbox, 'bbox', location);
  if (numbers.length !== 4) refuse(location, 'bbox does not have 4 numbers');
  const [left = 0, top = 0, width = 0, height = 0] = numbers;
  return [left, top, left + width, top + height];
}

const listIn = (object: JsonObject, name: string, location: FileLocation): readonly unknown[] =>
  listOf(object[name] ?? [], name, location);

const textOf = (value: unknown, what: string, location: FileLocation): string =>
  typeof value === 'string' ? value : refuse(location, `${what} is not a text`);

/** Names and values in a JSON object; none if there is no text. */
function jsonTexts(text: unknown, location: FileLocation): (readonly [name: string, value: string])[] {
  if (text === undefined || text === null) return [];
  try {
    return textsOf(objectOf(parseJson(textOf(text, 'attributes', location), location), location));
  } catch (error) {
    return refuse(location, 'attributes are not a JSON object', error);
  }
}
