import type { FaultBudget, FieldErrors } from './field-errors.js';
import {
  isCoordinate,
  MAX_COORDINATE,
  pointsFault,
  SHAPE_TYPES,
  type ShapeType,
} from '../../shared/annotations/model.js';

import type { JsonObject } from './read-fields.js';
import { typeName } from './read-fields.js';

const TYPES: ReadonlyMap<unknown, ShapeType> = new Map(SHAPE_TYPES.map((type) => [type, type]));
const fault = (text: string): string => `[ErrorDetail(string='${text}', code='invalid')]`;
const NOT_A_NUMBER = fault('Value must be a float or an integer');
const NOT_FINITE = fault('Value must be a finite number');
const TOO_LARGE = fault(`Value must be from -${MAX_COORDINATE} to ${MAX_COORDINATE}`);

/** Reads the required type of a shape. */
export function readShapeType(raw: JsonObject, errors: FieldErrors): ShapeType {
  const value = raw['type'];
  const type = TYPES.get(value);
  if (type !== undefined) return type;
  if (value === undefined) errors.add('type', ['This field is required.']);
  else if (value === null) errors.add('type', ['This field may not be null.']);
  else errors.add('type', [`"${describeChoice(value)}" is not a valid choice.`]);
  return 'rectangle';
}

function describeChoice(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : typeName(value);
}

/** Numbers of one shape: writing as many as text takes about 0.1 s, in which the server does nothing else. */
const MAX_NUMBERS = 2_000_000;

/** Reads coordinates without copying them; absent means none. Their number is checked by {@link checkPoints}. */
export function readPoints(raw: JsonObject, errors: FieldErrors): number[] {
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
    errors.add('points', [`Expected a list of items but got type "${typeName(value)}".`]);
  }
  return [];
}

/** The text of a bad number is odd, but it is what clients of the API get. */
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

/** Checks the number of coordinates; only told of a shape whose fields are fine by themselves. */
export function checkPoints(type: ShapeType, points: readonly number[], errors: FieldErrors): void {
  const fault = pointsFault(type, points);
  if (fault !== undefined) errors.add('points', [fault]);
}
