import {
  type AnnotationAction,
  type AttributeValue,
  type Interval,
  isCoordinate,
  type LabeledData,
  MAX_COORDINATE,
  pointsFault,
  type Shape,
  SHAPE_TYPES,
  type ShapeElement,
  type ShapeType,
  type Tag,
  type Track,
  type TrackedShape,
  type TrackElement,
} from '../../shared/annotations/model.js';
import { AnnotationInvalid, type FaultBudget, FieldErrors, newFaultBudget } from './field-errors.js';
import { notAList, notAnObject, pythonType } from '../json/python-type.js';
import {
  atOnce,
  inSlices,
  isJsonObject,
  type JsonObject,
  readAttributeText,
  readBoolean,
  readFloat,
  readInt,
  readList,
  readListInTurns,
  readNullableInt,
  readSource,
  requireField,
  type Slices,
} from './read-fields.js';

const INT32 = 2_147_483_647;

/**
 * Parses the body of a write of annotations and fills in defaults. `delete` requires ids, `create` (also PUT) forbids
 * them, `update` accepts both. Lists of coordinates are not copied.
 * @throws AnnotationInvalid with errors that mirror the body: `{"shapes":[{},{"frame":["…"]}]}`
 */
export const parseLabeledData = (body: unknown, options: { action: AnnotationAction }): LabeledData =>
  atOnce(reading(body, options.action));

/** Like {@link parseLabeledData}, but yields to the event loop while it reads a long list. */
export async function parseLargeLabeledData(
  body: unknown,
  options: { action: AnnotationAction },
): Promise<LabeledData> {
  return inSlices(reading(body, options.action));
}

function reading(body: unknown, action: AnnotationAction): Slices<LabeledData> {
  if (!isJsonObject(body)) throw new AnnotationInvalid({ non_field_errors: [notAnObject(body)] });
  return new Parser(action).read(body);
}

/** One collector per level of nesting, reused for all objects of that level. */
class Parser {
  private readonly faults = newFaultBudget();
  private readonly errors = new FieldErrors(this.faults);
  private readonly itemErrors = new FieldErrors(this.faults);
  private readonly elementErrors = new FieldErrors(this.faults);
  private readonly keyframeErrors = new FieldErrors(this.faults);
  private readonly attributeErrors = new FieldErrors(this.faults);

  constructor(private readonly action: AnnotationAction) {}

  *read(body: JsonObject): Slices<LabeledData> {
    const data: LabeledData = {
      version: 0,
      tags: yield* readListInTurns(body, 'tags', this.errors, this.itemErrors, this.tag),
      shapes: yield* readListInTurns(body, 'shapes', this.errors, this.itemErrors, this.shape),
      tracks: yield* readListInTurns(body, 'tracks', this.errors, this.itemErrors, (raw, errors) =>
        this.track(raw, errors),
      ),
      intervals: yield* readListInTurns(body, 'intervals', this.errors, this.itemErrors, this.interval),
    };
    const errors = this.errors.take();
    if (errors !== undefined) throw new AnnotationInvalid(errors);
    return data;
  }

  private readonly tag = (raw: JsonObject, errors: FieldErrors): Tag => ({
    id: this.id(raw, errors),
    label_id: readInt(raw, 'label_id', errors),
    group: readNullableInt(raw, 'group', errors),
    source: readSource(raw, errors),
    attributes: this.attributes(raw, errors),
    frame: readInt(raw, 'frame', errors),
  });

  private readonly interval = (raw: JsonObject, errors: FieldErrors): Interval => {
    const interval: Interval = {
      id: this.id(raw, errors),
      label_id: readInt(raw, 'label_id', errors),
      group: readNullableInt(raw, 'group', errors),
      source: readSource(raw, errors),
      attributes: this.attributes(raw, errors),
      start: readInt(raw, 'start', errors),
      stop: readNullableInt(raw, 'stop', errors),
      score: readFloat(raw, 'score', errors, 1, 0, 1),
    };
    if (!errors.any && interval.stop !== null && interval.stop <= interval.start) {
      errors.add('stop', ['Ensure this value is greater than start.']);
    }
    return interval;
  };

  /**
   * Repeated in `shapeElement`: one object literal per type keeps the objects of a type in one hidden class, and fast.
   */
  private readonly shape = (raw: JsonObject, errors: FieldErrors): Shape => {
    const shape: Shape = {
      id: this.id(raw, errors),
      label_id: readInt(raw, 'label_id', errors),
      group: readNullableInt(raw, 'group', errors),
      source: readSource(raw, errors),
      attributes: this.attributes(raw, errors),
      type: readShapeType(raw, errors),
      frame: readInt(raw, 'frame', errors),
      occluded: readBoolean(raw, 'occluded', errors),
      outside: readBoolean(raw, 'outside', errors),
      z_order: readInt(raw, 'z_order', errors, 0, -INT32 - 1),
      rotation: readFloat(raw, 'rotation', errors, 0, 0, 360),
      points: readPoints(raw, errors),
      score: readFloat(raw, 'score', errors, 1, 0, 1),
      elements: readList(raw, 'elements', errors, this.elementErrors, this.shapeElement),
    };
    if (this.action === 'delete' && raw['elements'] === undefined) shape.elementsSent = false;
    if (errors.any) return shape;
    checkPoints(shape.type, shape.points, errors);
    if (shape.type === 'skeleton' && shape.elements.length === 0) {
      errors.add('elements', ['at least one required for skeleton shape']);
    } else if (shape.type !== 'skeleton' && shape.elements.length > 0) {
      errors.add('elements', ['not allowed for non-skeleton shape']);
    }
    return shape;
  };

  private readonly shapeElement = (raw: JsonObject, errors: FieldErrors): ShapeElement => {
    const element: ShapeElement = {
      id: this.id(raw, errors, this.action !== 'create'),
      label_id: readInt(raw, 'label_id', errors),
      group: readNullableInt(raw, 'group', errors),
      source: readSource(raw, errors),
      attributes: this.attributes(raw, errors),
      type: readShapeType(raw, errors),
      frame: readInt(raw, 'frame', errors),
      occluded: readBoolean(raw, 'occluded', errors),
      outside: readBoolean(raw, 'outside', errors),
      z_order: readInt(raw, 'z_order', errors, 0, -INT32 - 1),
      rotation: readFloat(raw, 'rotation', errors, 0, 0, 360),
      points: readPoints(raw, errors),
      score: readFloat(raw, 'score', errors, 1, 0, 1),
    };
    if (element.type === 'skeleton') errors.add('type', ['An element of a skeleton cannot be a skeleton.']);
    if (!errors.any) checkPoints(element.type, element.points, errors);
    return element;
  };

  private *track(raw: JsonObject, errors: FieldErrors): Slices<Track> {
    const track: Track = Object.assign(yield* this.trackElement(raw, errors), {
      id: this.id(raw, errors),
      elements: yield* readListInTurns(raw, 'elements', errors, this.elementErrors, (element, found) =>
        this.trackElement(element, found),
      ),
    });
    if (this.action === 'delete' && raw['elements'] === undefined) track.elementsSent = false;
    return track;
  }

  private *trackElement(raw: JsonObject, errors: FieldErrors): Slices<TrackElement> {
    requireField(raw, 'shapes', errors);
    return {
      id: this.id(raw, errors, this.action !== 'create'),
      label_id: readInt(raw, 'label_id', errors),
      group: readNullableInt(raw, 'group', errors),
      source: readSource(raw, errors),
      attributes: this.attributes(raw, errors),
      frame: readInt(raw, 'frame', errors),
      shapes: yield* readListInTurns(raw, 'shapes', errors, this.keyframeErrors, this.trackedShape),
    };
  }

  private readonly trackedShape = (raw: JsonObject, errors: FieldErrors): TrackedShape => {
    const shape: TrackedShape = {
      id: readNullableInt(raw, 'id', errors, Number.MAX_SAFE_INTEGER),
      type: readShapeType(raw, errors),
      frame: readInt(raw, 'frame', errors),
      occluded: readBoolean(raw, 'occluded', errors),
      outside: readBoolean(raw, 'outside', errors),
      z_order: readInt(raw, 'z_order', errors, 0, -INT32 - 1),
      rotation: readFloat(raw, 'rotation', errors, 0, 0, 360),
      points: readPoints(raw, errors),
      attributes: this.attributes(raw, errors),
    };
    if (!errors.any) checkPoints(shape.type, shape.points, errors);
    return shape;
  };

  private attributes(raw: JsonObject, errors: FieldErrors): AttributeValue[] {
    return readList(raw, 'attributes', errors, this.attributeErrors, this.attribute);
  }

  private readonly attribute = (raw: JsonObject, errors: FieldErrors): AttributeValue => ({
    spec_id: readInt(raw, 'spec_id', errors),
    value: readAttributeText(raw, errors),
  });

  private id(raw: JsonObject, errors: FieldErrors, optional = this.action === 'update'): number | null {
    const id = readNullableInt(raw, 'id', errors, Number.MAX_SAFE_INTEGER);
    if (optional || errors.has('id')) return id;
    if (this.action === 'create' && id !== null) errors.add('id', ['must be absent']);
    if (this.action === 'delete' && id === null) errors.add('id', ['must be present and not null']);
    return id;
  }
}

const TYPES: ReadonlyMap<unknown, ShapeType> = new Map(SHAPE_TYPES.map((type) => [type, type]));
const fault = (text: string): string => `[ErrorDetail(string='${text}', code='invalid')]`;
const NOT_A_NUMBER = fault('Value must be a float or an integer');
const NOT_FINITE = fault('Value must be a finite number');
const TOO_LARGE = fault(`Value must be from -${MAX_COORDINATE} to ${MAX_COORDINATE}`);

/** Reads the required type of a shape. */
function readShapeType(raw: JsonObject, errors: FieldErrors): ShapeType {
  const value = raw['type'];
  const type = TYPES.get(value);
  if (type !== undefined) return type;
  if (value === undefined) errors.add('type', ['This field is required.']);
  else if (value === null) errors.add('type', ['This field may not be null.']);
  else errors.add('type', [`"${describeChoice(value)}" is not a valid choice.`]);
  return 'rectangle';
}

function describeChoice(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : pythonType(value);
}

/** Limit for the numbers of one shape: writing this many as text blocks the server for about 0.1 s. */
const MAX_NUMBERS = 2_000_000;

/** Reads coordinates without copying them; absent means none. {@link checkPoints} checks their number. */
function readPoints(raw: JsonObject, errors: FieldErrors): number[] {
  const value = raw['points'];
  if (Array.isArray(value)) {
    if (value.length > MAX_NUMBERS) {
      errors.add('points', [`Ensure this field has no more than ${MAX_NUMBERS} elements.`]);
      return [];
    }
    for (let i = 0; i < value.length; i++) {
      if (!isCoordinate(value[i])) {
        errors.add('points', numberFaults(value, errors.budget));
        return [];
      }
    }
    return value as number[];
  }
  if (value === null) errors.add('points', ['This field may not be null.']);
  else if (value !== undefined) {
    errors.add('points', [notAList(value)]);
  }
  return [];
}

/** The text for an invalid number is odd, but it is what API clients receive. */
function numberFaults(values: readonly unknown[], budget: FaultBudget): Record<string, string> {
  const faults: Record<string, string> = {};
  for (let at = 0; at < values.length && budget.left > 0; at++) {
    if (isCoordinate(values[at])) continue;
    budget.left -= 1;
    faults[at] = numberFault(values[at]);
  }
  return faults;
}

function numberFault(value: unknown): string {
  if (typeof value !== 'number') return NOT_A_NUMBER;
  return Number.isFinite(value) ? TOO_LARGE : NOT_FINITE;
}

/** Checks the number of coordinates. Called only if the fields of the shape are valid. */
function checkPoints(type: ShapeType, points: readonly number[], errors: FieldErrors): void {
  const fault = pointsFault(type, points);
  if (fault !== undefined) errors.add('points', [fault]);
}
