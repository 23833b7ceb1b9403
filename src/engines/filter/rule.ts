import { isDeeperThan, isObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { greatest, least } from '../../shared/extremes.js';

/** An invalid rule. The message is for its author and says where the error is and why. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** A rule that {@link parseRule} has validated. */
export type Rule = JsonObject;

/** The result of a rule. */
export interface Verdict {
  readonly passed: boolean;
  /** The value that each `var` of the rule read, by path. Values that the result did not depend on are absent. */
  readonly seen: Readonly<Record<string, JsonValue>>;
  /** Whether the rule needed more than {@link MAX_STEPS} operations. It then has no result, and `passed` is true. */
  readonly exhausted: boolean;
}

const MAX_LENGTH = 8192;
const MAX_DEPTH = 20;
/** Maximum operations per evaluation. Nested `some` and `map` multiply. */
export const MAX_STEPS = 20_000;
const MAX_SEEN = 100;
/** Maximum length of a list that a rule creates: a `reduce` could double it repeatedly. */
const MAX_ITEMS = 10_000;

type Operation = (values: readonly JsonValue[]) => JsonValue;

const numbers = (values: readonly JsonValue[]): number[] => values.map(toNumber);
const finite = (value: number): JsonValue => (Number.isFinite(value) ? value : null);

/** Operations on values. `Evaluation` has those that decide what is evaluated. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['==', ([a = null, b = null]) => looselyEqual(a, b)],
  ['!=', ([a = null, b = null]) => !looselyEqual(a, b)],
  ['===', ([a = null, b = null]) => a === b],
  ['!==', ([a = null, b = null]) => a !== b],
  ['<', (values) => inOrder(values, (order) => order < 0)],
  ['<=', (values) => inOrder(values, (order) => order <= 0)],
  ['>', ([a = null, b = null]) => inOrder([a, b], (order) => order > 0)],
  ['>=', ([a = null, b = null]) => inOrder([a, b], (order) => order >= 0)],
  ['!', ([value = null]) => !isTruthy(value)],
  ['!!', ([value = null]) => isTruthy(value)],
  ['in', ([part = null, whole = null]) => contains(whole, part)],
  ['cat', (values) => values.map(toText).join('').slice(0, MAX_LENGTH)],
  ['substr', ([text = '', from = 0, length = null]) => substring(toText(text), toNumber(from), length)],
  ['+', (values) => finite(numbers(values).reduce((sum, value) => sum + value, 0))],
  ['*', (values) => finite(numbers(values).reduce((product, value) => product * value, 1))],
  ['-', ([a = null, b]) => finite(b === undefined ? -toNumber(a) : toNumber(a) - toNumber(b))],
  ['/', ([a = null, b = null]) => finite(toNumber(a) / toNumber(b))],
  ['%', ([a = null, b = null]) => finite(toNumber(a) % toNumber(b))],
  ['min', (values) => finite(least(numbers(values)))],
  ['max', (values) => finite(greatest(numbers(values)))],
  ['merge', (values) => values.flatMap((value) => value).slice(0, MAX_ITEMS)],
]);

/** With fewer than two operands these are constant, so that nothing, or everything, would be sent. */
const OF_TWO: ReadonlySet<string> = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>=', 'in']);

const LAZY: ReadonlySet<string> = new Set([
  'var', 'missing', 'missing_some', 'and', 'or', 'if', '?:', 'all', 'some', 'none', 'filter', 'map', 'reduce',
]); // prettier-ignore

/**
 * Validates the form of a rule in JSON Logic (jsonlogic.com): one known operator in each object, limited in size and
 * depth.
 * @throws RuleError
 */
export function parseRule(value: unknown): Rule {
  const rule = value as JsonValue;
  if (!isObject(rule)) throw new RuleError('A rule is an object, such as {"==": [{"var": "job.state"}, "completed"]}.');
  if (isDeeperThan(rule, MAX_DEPTH)) throw new RuleError(`The rule is nested more than ${MAX_DEPTH} levels deep.`);
  if (JSON.stringify(rule).length > MAX_LENGTH) throw new RuleError(`The rule has more than ${MAX_LENGTH} characters.`);
  check(rule, '');
  return rule;
}

function check(value: JsonValue, place: string): void {
  if (Array.isArray(value)) return value.forEach((item, index) => check(item, `${place}[${index}]`));
  if (!isObject(value)) return;
  const operators = Object.keys(value);
  const [operator = ''] = operators;
  if (operators.length !== 1)
    throw new RuleError(`${at(place)}an object must have one operator, not ${operators.length}.`);
  const here = place === '' ? operator : `${place}.${operator}`;
  if (!OPERATIONS.has(operator) && !LAZY.has(operator))
    throw new RuleError(`${at(place)}there is no operator ${JSON.stringify(operator.slice(0, 100))}.`);
  const operands = value[operator] ?? null;
  if (operator === 'var') return checkVariable(operands, here);
  if (OF_TWO.has(operator) && !(Array.isArray(operands) && operands.length >= 2))
    throw new RuleError(`${at(place)}"${operator}" takes a list of two values.`);
  check(operands, here);
}

function checkVariable(operands: JsonValue, place: string): void {
  const [path = '', otherwise = null] = Array.isArray(operands) ? operands : [operands];
  if (path !== null && typeof path !== 'string' && typeof path !== 'number')
    throw new RuleError(`${at(place)}the path must be a text, such as "task.name".`);
  check(otherwise, place);
}

const at = (place: string): string => (place === '' ? '' : `At ${place}: `);

/** Evaluates a rule on data. Never throws; reads only own properties. */
export function evaluateRule(rule: Rule, data: JsonValue): Verdict {
  const evaluation = new Evaluation();
  try {
    return { passed: isTruthy(evaluation.value(rule, data)), seen: evaluation.seen, exhausted: false };
  } catch (error) {
    if (error instanceof Exhausted) return { passed: true, seen: evaluation.seen, exhausted: true };
    throw error;
  }
}

class Exhausted extends Error {}

class Evaluation {
  readonly seen: Record<string, JsonValue> = {};
  private steps = 0;
  /** Inside `map` and similar operators a path refers to part of the item, which is not reported. */
  private inItems = 0;

  value(rule: JsonValue, data: JsonValue): JsonValue {
    if (Array.isArray(rule)) return rule.map((item) => this.value(item, data));
    if (!isObject(rule)) return rule;
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw new Exhausted();
    const [operator = '', raw = null] = Object.entries(rule)[0] ?? [];
    const operands = Array.isArray(raw) ? raw : [raw];
    const operation = OPERATIONS.get(operator);
    if (operation === undefined) return this.lazy(operator, operands, data);
    return operation(operands.map((operand) => this.value(operand, data)));
  }

  private lazy(operator: string, operands: readonly JsonValue[], data: JsonValue): JsonValue {
    switch (operator) {
      case 'var':
        return this.variable(operands, data);
      case 'and':
        return this.firstOf(operands, data, (value) => !isTruthy(value));
      case 'or':
        return this.firstOf(operands, data, isTruthy);
      case 'if':
      case '?:':
        return this.branch(operands, data);
      case 'missing':
        return this.missing(
          operands.flatMap((operand) => this.value(operand, data)),
          data,
        );
      case 'missing_some': {
        const [needed = 0, paths = []] = operands.map((operand) => this.value(operand, data));
        const list = Array.isArray(paths) ? paths : [paths];
        const missing = this.missing(list, data);
        return list.length - missing.length >= toNumber(needed) ? [] : missing;
      }
      default:
        return this.items(operator, operands, data);
    }
  }

  /** The first deciding value, otherwise the last one. */
  private firstOf(operands: readonly JsonValue[], data: JsonValue, decides: (value: JsonValue) => boolean): JsonValue {
    let value: JsonValue = null;
    for (const operand of operands) {
      value = this.value(operand, data);
      if (decides(value)) return value;
    }
    return value;
  }

  private branch(operands: readonly JsonValue[], data: JsonValue): JsonValue {
    for (let index = 0; index + 1 < operands.length; index += 2) {
      if (isTruthy(this.value(operands[index] ?? null, data))) return this.value(operands[index + 1] ?? null, data);
    }
    return operands.length % 2 === 1 ? this.value(operands.at(-1) ?? null, data) : null;
  }

  private items(
    operator: string,
    [from = null, rule = null, start = null]: readonly JsonValue[],
    data: JsonValue,
  ): JsonValue {
    const list = this.value(from, data);
    const items = Array.isArray(list) ? list : [];
    this.inItems += 1;
    try {
      const holds = (item: JsonValue): boolean => isTruthy(this.value(rule, item));
      if (operator === 'all') return items.length > 0 && items.every(holds);
      if (operator === 'some') return items.some(holds);
      if (operator === 'none') return !items.some(holds);
      if (operator === 'filter') return items.filter(holds);
      if (operator === 'map') return items.map((item) => this.value(rule, item));
      const initial = this.value(start, data);
      return items.reduce((accumulator, current) => this.value(rule, { current, accumulator }), initial);
    } finally {
      this.inItems -= 1;
    }
  }

  private variable(operands: readonly JsonValue[], data: JsonValue): JsonValue {
    const [path = '', otherwise = null] = operands;
    const name = path === null ? '' : toText(path);
    const found = read(data, name);
    if (this.inItems === 0 && Object.keys(this.seen).length < MAX_SEEN) this.seen[name] = found ?? null;
    return found ?? this.value(otherwise, data);
  }

  private missing(paths: readonly JsonValue[], data: JsonValue): JsonValue[] {
    return paths.filter((path) => {
      const found = read(data, toText(path));
      return found === undefined || found === null || found === '';
    });
  }
}

/** The value at a dotted path; undefined if there is none. */
function read(data: JsonValue, path: string): JsonValue | undefined {
  if (path === '') return data;
  let value: JsonValue | undefined = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Compares two values, or three for "between". */
function inOrder([a = null, b = null, c]: readonly JsonValue[], fits: (order: number) => boolean): boolean {
  return fits(compare(a, b)) && (c === undefined || fits(compare(b, c)));
}

function contains(whole: JsonValue, part: JsonValue): boolean {
  if (typeof whole === 'string') return whole.includes(toText(part));
  return Array.isArray(whole) && whole.includes(part);
}

function substring(text: string, from: number, length: JsonValue): string {
  const start = from < 0 ? Math.max(0, text.length + from) : from;
  if (length === null) return text.slice(start);
  const count = toNumber(length);
  return count < 0 ? text.slice(start, count) : text.slice(start, start + count);
}

const MAX_LISTED = 1000;

/** JSON Logic's truthiness: that of JavaScript, except that an empty list is false. */
const isTruthy = (value: JsonValue): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** JavaScript's `==` for texts, numbers, booleans and null. Lists and objects equal nothing. */
function looselyEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === 'object' || typeof b === 'object') return false;
  return typeof a === typeof b ? a === b : Number(a) === Number(b);
}

/**
 * Negative, 0 or positive for less, equal or greater; NaN if incomparable. Two texts compare by characters, others as
 * numbers.
 */
function compare(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'string' && typeof b === 'string') return Number(a > b) - Number(a < b);
  return toNumber(a) - toNumber(b);
}

/** NaN for values that are not numbers. */
const toNumber = (value: JsonValue): number =>
  typeof value === 'object' && value !== null ? Number.NaN : Number(value);

/** Joins the plain items of a list with commas. Deeper nesting has no text. */
function toText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return '';
  const plain = value.slice(0, MAX_LISTED).map((item) => (typeof item === 'object' ? '' : toText(item)));
  return plain.join(',');
}
