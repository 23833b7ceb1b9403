import { Runs } from '../../shared/annotations/mask.js';
import {
  type AttributeValue,
  MASK_BOX,
  pointsFault,
  type Shape,
  SHAPE_TYPES,
  type ShapeElement,
  type ShapeType,
  type Tag,
} from '../../shared/annotations/model.js';
import { Turns } from '../concurrency/turns.js';
import { isStorable } from '../sql/storable-text.js';
import { fittingShapes } from './conversions.js';
import { isObject, MAX_ITEMS, ResponseInvalid, ResponseItem } from './response-item.js';
import type { ResolvedLabel, TaskAttribute } from './mapping.js';

export interface DetectionOptions {
  readonly frame: number;
  readonly mapping: ReadonlyMap<string, ResolvedLabel>;
  /** Masks that the function describes by a polygon too become polygons. */
  readonly masksToPolygons: boolean;
  /** The left and top edge of the part of the frame that the function has seen. Default: the whole frame. */
  readonly origin?: readonly [x: number, y: number];
}

export interface Detections {
  readonly tags: Tag[];
  readonly shapes: Shape[];
}

/**
 * Converts the response of a detector with Nuclio's protocol to annotations of the task. Objects with labels that are
 * not mapped are dropped, as are attribute values that do not fit.
 * @throws ResponseInvalid
 */
export async function readDetections(response: unknown, options: DetectionOptions): Promise<Detections> {
  if (!Array.isArray(response)) throw new ResponseInvalid('The response must be a list of objects');
  if (response.length > MAX_ITEMS) throw new ResponseInvalid(`The response has more than ${MAX_ITEMS} objects`);
  const found: Detections = { tags: [], shapes: [] };
  const turns = new Turns(new AbortController().signal);
  for (const [index, item] of (response as unknown[]).entries()) {
    // A mask may have millions of pixels.
    const pausing = turns.pause();
    if (pausing !== undefined) await pausing;
    readItem(new ResponseItem(item, `Object ${index}`), options, found);
  }
  return found;
}

function readItem(item: ResponseItem, options: DetectionOptions, found: Detections): void {
  const label = options.mapping.get(item.text('label'));
  if (label === undefined) return;
  const labeled = labeledOf(item, label, options.frame);
  if (item.raw['type'] === 'tag') {
    const { score: _, ...tag } = labeled;
    found.tags.push(tag);
    return;
  }
  const type = item.type();
  requireType(item, type, label);
  if (type === 'skeleton') {
    const skeleton = skeletonOf(item, label, labeled, options);
    if (skeleton !== undefined) found.shapes.push(skeleton);
    return;
  }
  const masksToPolygons = options.masksToPolygons || label.label.type === 'polygon';
  const shapes = fittingShapes(shapeOf(item, type, labeled, { ...options, masksToPolygons }), label.label.type);
  if (shapes === undefined) throw new ResponseInvalid(`${item.what} cannot be converted to a ${label.label.type}`);
  for (const shape of shapes) found.shapes.push(shape);
}

/** A label of a fixed type takes only shapes of this type. Masks and polygons are converted to each other. */
function requireType(item: ResponseItem, type: ShapeType, { label }: ResolvedLabel): void {
  if (label.type === 'any' ? type !== 'skeleton' : label.type === type) return;
  if ([type, label.type].includes('mask') && [type, label.type].includes('polygon')) return;
  throw new ResponseInvalid(
    `${item.what} is a ${type}, but the label "${label.name}" of the task has type ${label.type}`,
  );
}

const asPolygon = (item: ResponseItem, { masksToPolygons }: DetectionOptions): boolean =>
  masksToPolygons && Array.isArray(item.raw['points']) && item.raw['points'].length > 0;

type Labeled = Omit<Tag, 'attributes'> & { readonly attributes: AttributeValue[]; readonly score: number };

function labeledOf(item: ResponseItem, { label, attributes }: ResolvedLabel, frame: number): Labeled {
  return {
    id: null,
    label_id: label.id,
    frame,
    group: item.group(),
    source: 'auto',
    attributes: attributesOf(item.raw['attributes'], attributes),
    score: item.score(),
  };
}

function shapeOf(item: ResponseItem, type: ShapeType, labeled: Labeled, options: DetectionOptions): Shape {
  const becomesPolygon = type === 'mask' && asPolygon(item, options);
  const shown = becomesPolygon ? 'polygon' : type;
  const points =
    type === 'mask' && !becomesPolygon ? maskOf(item, options) : shifted(item.numbers('points'), options.origin);
  const fault = pointsFault(shown, points);
  if (fault !== undefined) throw new ResponseInvalid(`${item.what}: ${fault}`);
  return { ...geometry(item, labeled, shown), points, elements: [] };
}

function geometry(item: ResponseItem, { score, ...labeled }: Labeled, type: ShapeType): Omit<ShapeElement, 'points'> {
  const rotation = type === 'rectangle' || type === 'ellipse' ? item.rotation() : 0;
  return { ...labeled, type, occluded: false, outside: item.flag('outside'), z_order: 0, rotation, score };
}

/**
 * A skeleton with all elements of the task's label. Those that the function does not report are hidden, at the mean
 * position of the others. @returns undefined if no element is visible
 */
function skeletonOf(
  item: ResponseItem,
  label: ResolvedLabel,
  labeled: Labeled,
  options: DetectionOptions,
): Shape | undefined {
  const elements = new Map<number, ShapeElement>();
  for (const element of item.list('elements')) {
    const sublabel = label.sublabels.get(element.text('label'));
    if (sublabel === undefined) continue;
    const type = element.type('points');
    if (type === 'skeleton' || type === 'mask') throw new ResponseInvalid(`${element.what} cannot be a ${type}`);
    requireType(element, type, sublabel);
    const own = { ...labeledOf(element, sublabel, options.frame), group: labeled.group };
    const { elements: _, ...read } = shapeOf(element, type, own, options);
    elements.set(sublabel.label.id, read);
  }
  const seen = [...elements.values()].filter(({ outside }) => !outside);
  if (seen.length === 0) return undefined;
  const shape = geometry(item, labeled, 'skeleton');
  const center = meanOf(seen.flatMap(({ points }) => points));
  const all = (label.label.sublabels ?? []).map(
    ({ id, type }): ShapeElement =>
      elements.get(id) ?? {
        ...shape,
        label_id: id,
        type: elementType(type),
        outside: true,
        attributes: [],
        points: pointsAt(type, center),
      },
  );
  return { ...shape, points: [], elements: all };
}

const elementType = (type: string): ShapeType => SHAPE_TYPES.find((known) => known === type) ?? 'points';

/** The points of a hidden element: all at one position. */
function pointsAt(type: string, center: readonly [number, number]): number[] {
  const corners: Readonly<Record<string, number>> = { rectangle: 2, ellipse: 2, polyline: 2, polygon: 3, cuboid: 8 };
  return Array.from({ length: corners[type] ?? 1 }, () => center).flat();
}

function meanOf(points: readonly number[]): readonly [number, number] {
  const sum = [0, 0];
  points.forEach((value, at) => (sum[at % 2] = (sum[at % 2] ?? 0) + value));
  const count = Math.max(1, points.length / 2);
  return [(sum[0] ?? 0) / count, (sum[1] ?? 0) / count];
}

function shifted(points: number[], origin: DetectionOptions['origin']): number[] {
  if (origin === undefined) return points;
  return points.map((value, at) => value + (origin[at % 2 === 0 ? 0 : 1] ?? 0));
}

/** A bitmap, row by row, followed by its box -> runs, followed by the box. */
function maskOf(item: ResponseItem, { origin = [0, 0] }: DetectionOptions): number[] {
  const numbers = item.numbers('mask');
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = numbers.slice(-MASK_BOX);
  const area = (right - left + 1) * (bottom - top + 1);
  const pixels = numbers.length - MASK_BOX;
  if (pixels !== area)
    throw new ResponseInvalid(`${item.what}: the mask has ${Math.max(0, pixels)} pixels, its box has ${area}`);
  const runs = new Runs();
  for (let at = 0, start = 0; at < pixels; start = at) {
    const pixel = numbers[start] === 0 ? 0 : 1;
    while (at < pixels && (numbers[at] === 0 ? 0 : 1) === pixel) at++;
    runs.add(pixel, at - start);
  }
  const [x, y] = origin;
  return [...runs.lengths, left + x, top + y, right + x, bottom + y];
}

/** Values of mapped attributes, as far as they fit; of several values for one attribute the last. */
function attributesOf(sent: unknown, attributes: ReadonlyMap<string, TaskAttribute>): AttributeValue[] {
  if (!Array.isArray(sent) || attributes.size === 0) return [];
  const values = new Map<number, string>();
  for (const entry of sent as unknown[]) {
    if (!isObject(entry)) continue;
    const attribute = attributes.get(String(entry['name']));
    const value = attribute === undefined ? undefined : attributeValue(entry['value'], attribute);
    if (attribute !== undefined && value !== undefined) values.set(attribute.id, value);
  }
  return Array.from(values, ([spec_id, value]) => ({ spec_id, value }));
}

const MAX_VALUE = 4096;

/** @returns undefined for a value that the attribute cannot have */
export function attributeValue(value: unknown, { input_type: type, values }: TaskAttribute): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const text = String(value);
  switch (type) {
    case 'checkbox':
      return ['true', 'false'].includes(text.toLowerCase()) ? text.toLowerCase() : undefined;
    case 'number': {
      const [min = NaN, max = NaN, step = NaN] = values.map(Number);
      const number = Number(text);
      const fits = text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max;
      return fits && (number - min) % step === 0 ? String(number) : undefined;
    }
    case 'select':
    case 'radio':
      return values.includes(text) ? text : undefined;
    default:
      return text.length <= MAX_VALUE && isStorable(text) ? text : undefined;
  }
}
