import { InvalidList, InvalidString } from '../../core/http/errors/errors.js';
import { readNumber } from '../../core/http/body/fields.js';
import { MappingInvalid, type MappingRules, readMapping } from '../../engines/functions/mapping.js';
import { readTrackedShapes } from '../../engines/functions/tracking.js';
import { isCoordinate } from '../../shared/annotations/model.js';
import { hasFrame, type LambdaTarget } from './lambda-targets.js';
import type {
  DetectorCall,
  InteractorCall,
  LambdaFunction,
  Point,
  Region,
  ReidCall,
  TrackerStart,
} from './lambda-function.js';

type Body = Readonly<Record<string, unknown>>;

const MAX_POINTS = 10_000;
const MAX_SHAPES = 10_000;

/** Reads the bodies of calls of one function. All readers throw InvalidString or InvalidList. */
export class CallBody {
  constructor(
    private readonly body: Body,
    private readonly called: LambdaFunction,
    private readonly target: LambdaTarget,
  ) {}

  detector(rules: (options: { readonly masksToPolygons: boolean }) => MappingRules): DetectorCall {
    const masksToPolygons = readFlag(this.body, 'conv_mask_to_poly') || readFlag(this.body, 'convMaskToPoly');
    return {
      frame: this.frame('frame', 'frame'),
      mapping: mappingOf(this.body['mapping'], this.called, this.target, rules({ masksToPolygons })),
      threshold: thresholdOf(this.body),
      masksToPolygons,
      region: regionOf(this.body),
    };
  }

  interactor(): InteractorCall {
    const posPoints = this.points('pos_points');
    const negPoints = this.points('neg_points');
    const sent = this.body['obj_bbox'] ?? [];
    const box = pointsOf(sent);
    if (box === undefined || (box.length !== 0 && box.length !== 2))
      throw new InvalidString('obj_bbox must be empty or have two corners');
    return { frame: this.frame('frame', 'frame'), posPoints, negPoints, box, region: regionOf(this.body) };
  }

  trackerStart(): TrackerStart {
    const shapes = readTrackedShapes(this.mandatory('shapes'));
    if (shapes === undefined || shapes.length > MAX_SHAPES)
      throw new InvalidString('shapes must be a list of objects with a type and points that fit it');
    const types = this.called.shapeTypes ?? ['rectangle'];
    const other = shapes.find(({ type }) => !types.includes(type));
    if (other !== undefined) throw new InvalidString(`This function does not support shapes of type '${other.type}'`);
    return { frame: this.frame('frame', 'frame'), shapes };
  }

  /** States as the client has received them. Null: the call starts the tracking of shapes. */
  states(): readonly (string | null)[] | null {
    const states = this.body['states'];
    if (states === undefined || states === null || (Array.isArray(states) && states.length === 0)) return null;
    const isList = Array.isArray(states) && states.length <= MAX_SHAPES;
    if (!isList || !states.every((state) => state === null || typeof state === 'string'))
      throw new InvalidString('states must be a list of strings');
    return states as (string | null)[];
  }

  reid(): ReidCall {
    return {
      frame0: this.frame('frame0', 'start frame'),
      frame1: this.frame('frame1', 'end frame'),
      boxes0: this.list('boxes0'),
      boxes1: this.list('boxes1'),
      threshold: thresholdOf(this.body),
      maxDistance: maxDistanceOf(this.body),
    };
  }

  /** @param name as in errors */
  frame(key: string, name: string): number {
    const frame = readNumber(this.mandatory(key));
    if (typeof frame !== 'number' || !Number.isInteger(frame)) throw new InvalidString(`${key} must be an integer`);
    const { source } = this.target;
    if (hasFrame(source, frame)) return frame;
    if (source.segment !== null) throw new InvalidString(`The ${name} is outside the job range`);
    throw new InvalidList(`Invalid frame '${frame}'. The frame number should be in the [0, ${source.size - 1}] range`);
  }

  private points(key: string): readonly Point[] {
    const points = pointsOf(this.mandatory(key));
    if (points === undefined) throw new InvalidString(`${key} must be a list of points [x, y]`);
    return points;
  }

  private list(key: string): readonly unknown[] {
    const list = this.mandatory(key);
    if (Array.isArray(list) && list.length <= MAX_SHAPES) return list as unknown[];
    throw new InvalidString(`${key} must be a list of at most ${MAX_SHAPES} shapes`);
  }

  private mandatory(key: string): unknown {
    const value = this.body[key];
    if (value !== undefined && value !== null) return value;
    throw new InvalidString(`\`${this.called.id}\` lambda function was called without mandatory argument: ${key}`);
  }
}

/** @throws InvalidString with the text of the contract */
export function mappingOf(
  sent: unknown,
  { labels }: Pick<LambdaFunction, 'labels'>,
  target: Pick<LambdaTarget, 'labels'>,
  rules: MappingRules,
): DetectorCall['mapping'] {
  try {
    return readMapping(sent, labels, target.labels, rules);
  } catch (error) {
    throw error instanceof MappingInvalid ? new InvalidString(error.message) : error;
  }
}

/**
 * The mapping of a request for a whole task or job. Without any label in common it could find nothing, and `cleanup`
 * would only delete.
 * @throws InvalidString
 */
export function batchMappingOf(
  sent: unknown,
  called: Pick<LambdaFunction, 'labels' | 'name'>,
  target: Pick<LambdaTarget, 'labels'>,
  rules: MappingRules,
): DetectorCall['mapping'] {
  const mapping = mappingOf(sent, called, target, rules);
  if (Object.keys(mapping).length > 0) return mapping;
  throw new InvalidString(`No label of the function "${called.name}" matches a label of the task`);
}

/** 0 stands for the default of the function. */
export function thresholdOf(body: Body): number | null {
  const value = readNumber(body['threshold'] ?? 0);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new InvalidString('threshold must be a number');
  return value === 0 ? null : value;
}

/** Null stands for the default of the function. */
export function maxDistanceOf(body: Body): number | null {
  const value = readNumber(body['max_distance'] ?? null);
  if (value === null || isCoordinate(value)) return value;
  throw new InvalidString('max_distance must be a number');
}

export function readFlag(body: Body, key: string): boolean {
  const value = body[key];
  return value === true || value === 'true' || value === 1;
}

export function regionOf(body: Body): Region | null {
  const value = body['roi'];
  if (value === undefined || value === null) return null;
  const isRegion =
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((edge) => isCoordinate(edge) && Number.isInteger(edge) && edge >= 0);
  const [left = 0, top = 0, right = 0, bottom = 0] = isRegion ? (value as number[]) : [];
  if (right <= left || bottom <= top) throw new InvalidString('roi must be four integers: left, top, right, bottom');
  return [left, top, right, bottom];
}

function pointsOf(value: unknown): Point[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_POINTS) return undefined;
  const points = value as unknown[];
  return points.every((point) => Array.isArray(point) && point.length === 2 && point.every(isCoordinate))
    ? (points as Point[])
    : undefined;
}
