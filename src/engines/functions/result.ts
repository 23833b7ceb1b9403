import {
  type AttributeValue,
  isCoordinate,
  type LabeledData,
  MASK_BOX,
  pointsFault,
  SHAPE_TYPES,
  type Shape,
  type ShapeType,
} from '../../shared/annotations/model.js';
import { isStorable, UNSTORABLE } from '../sql/storable-text.js';
import type { RequestParams, Roi } from './request-params.js';

/** The results of an agent do not have the form that its request asks for. */
export class ResultInvalid extends Error {
  override name = 'ResultInvalid';

  /** @param field the key of the body */
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** A shape of an interactor. */
export interface InteractorShape {
  type: ShapeType;
  points: number[];
  /** `spec_id` 0 is the confidence. */
  attributes: AttributeValue[];
}

/** A shape of a tracker; null if the object is not in the frame. */
export type TrackerShape = { readonly type: ShapeType; readonly points: readonly number[] } | null;

/** What interactive requests other than detections return. */
export type ToolResult =
  | { readonly states: readonly string[] }
  | { readonly states: readonly string[]; readonly shapes: readonly TrackerShape[] }
  | { readonly shapes: readonly InteractorShape[] };

type Body = Readonly<Record<string, unknown>>;
type ToolParams = Extract<RequestParams, { type: 'init_tracking' | 'track' | 'interact' }>;

/** The pixels of a frame. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** Longer than the states of any known client. */
const MAX_STATE_LENGTH = 1_000;
/** More than an interactor finds in a frame. */
const MAX_SHAPES = 20_000;

/**
 * Reads what a tracker or an interactor has returned.
 * @param size of the frame; null: not known
 * @throws ResultInvalid
 */
export function readToolResult(params: ToolParams, body: Body, size: FrameSize | null): ToolResult {
  switch (params.type) {
    case 'init_tracking':
      return { states: readStates(body, params.shapes.length) };
    case 'track': {
      const states = readStates(body, params.states.length);
      const shapes = readShapes(body, states.length).map(trackerShape);
      requireMasksInFrame('shapes', shapes, size);
      return { states, shapes };
    }
    case 'interact': {
      const shapes = readShapes(body).map(interactorShape);
      if (params.roi !== undefined) for (const shape of shapes) shiftPoints(shape, params.roi);
      requireMasksInFrame('shapes', shapes, size);
      return { shapes };
    }
  }
}

/**
 * Refuses masks that exceed the frame. A few numbers describe a mask of any size, and whoever draws it needs memory for
 * all its pixels.
 * @param field the key of the body
 * @param size null: not known
 * @throws ResultInvalid
 */
export function requireMasksInFrame(
  field: string,
  shapes: readonly ({ readonly type: ShapeType; readonly points: readonly number[] } | null)[],
  size: FrameSize | null,
): void {
  if (size === null) return;
  for (const [at, shape] of shapes.entries()) {
    if (shape?.type !== 'mask') continue;
    const [left = 0, top = 0, right = 0, bottom = 0] = shape.points.slice(-MASK_BOX);
    if (left >= 0 && top >= 0 && right < size.width && bottom < size.height) continue;
    const frame = `${size.width} × ${size.height} pixels`;
    throw new ResultInvalid(field, `The mask of shape ${at} exceeds the frame, which has ${frame}.`);
  }
}

/** Moves shapes that are relative to a region of interest to their place in the frame. */
export function shiftShapes(shapes: readonly Shape[], roi: Roi): void {
  for (const shape of shapes) {
    shiftPoints(shape, roi);
    for (const element of shape.elements) shiftPoints(element, roi);
  }
}

/** Keeps annotations on some frames. */
export function onFrames(data: LabeledData, isWanted: (frame: number) => boolean): LabeledData {
  const keep = ({ frame }: { readonly frame: number }): boolean => isWanted(frame);
  return { ...data, tags: data.tags.filter(keep), shapes: data.shapes.filter(keep) };
}

/** Points are pairs of x and y, except that masks are run lengths with a box. */
function shiftPoints(shape: { readonly type: ShapeType; readonly points: number[] }, [left, top]: Roi): void {
  const { points } = shape;
  const first = shape.type === 'mask' ? points.length - MASK_BOX : 0;
  for (let at = first; at < points.length; at += 2) {
    points[at] = (points[at] ?? 0) + left;
    points[at + 1] = (points[at + 1] ?? 0) + top;
  }
}

function readStates(body: Body, count: number): string[] {
  const states = readList(body, 'states', count);
  return states.map((state, at) => {
    if (typeof state !== 'string' || state.length > MAX_STATE_LENGTH)
      throw new ResultInvalid('states', `A state must be a text of up to ${MAX_STATE_LENGTH} characters.`);
    if (!isStorable(state)) throw new ResultInvalid('states', `State ${at} ${UNSTORABLE}.`);
    return state;
  });
}

const readShapes = (body: Body, count?: number): unknown[] => readList(body, 'shapes', count);

function readList(body: Body, field: string, count?: number): unknown[] {
  const sent = body[field];
  if (typeof sent !== 'object' || sent === null || !(Symbol.iterator in sent))
    throw new ResultInvalid(field, 'Expected a list.');
  const list = [...(sent as Iterable<unknown>)];
  if (list.length > MAX_SHAPES) throw new ResultInvalid(field, `There are more than ${MAX_SHAPES} items.`);
  if (count !== undefined && list.length !== count)
    throw new ResultInvalid(field, `Expected ${count} items, but there are ${list.length}.`);
  return list;
}

const trackerShape = (sent: unknown): TrackerShape => (sent === null ? null : readForm(sent));

function interactorShape(sent: unknown): InteractorShape {
  const { attributes = [] } = (sent ?? {}) as { readonly attributes?: unknown };
  if (!Array.isArray(attributes) || !attributes.every(isAttribute))
    throw new ResultInvalid('shapes', 'The attributes of a shape must be a list of spec_id and value.');
  if (!attributes.every(({ value }) => isStorable(value)))
    throw new ResultInvalid('shapes', `The value of an attribute ${UNSTORABLE}.`);
  const known = attributes.map(({ spec_id, value }): AttributeValue => ({ spec_id, value }));
  return { ...readForm(sent), attributes: known };
}

function readForm(sent: unknown): { type: ShapeType; points: number[] } {
  const { type, points } = (sent ?? {}) as { readonly type?: unknown; readonly points?: unknown };
  const known = SHAPE_TYPES.find((one) => one === type);
  if (known === undefined || known === 'skeleton') throw new ResultInvalid('shapes', 'A shape has an unknown type.');
  if (!Array.isArray(points) || !points.every(isCoordinate))
    throw new ResultInvalid('shapes', 'The points of a shape must be a list of numbers.');
  const fault = pointsFault(known, points);
  if (fault !== undefined) throw new ResultInvalid('shapes', fault);
  return { type: known, points };
}

function isAttribute(sent: unknown): sent is AttributeValue {
  const { spec_id: id, value } = (sent ?? {}) as { readonly spec_id?: unknown; readonly value?: unknown };
  return Number.isInteger(id) && typeof value === 'string';
}
