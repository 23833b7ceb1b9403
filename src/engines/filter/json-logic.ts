import { and, contains, or, sql, type Sql } from '../sql/sql.js';
import {
  array,
  canonical,
  FilterError,
  type FilterField,
  type FilterValue,
  readValue,
  type Rounding,
  scalar,
} from './filter-value.js';
import { isDeeperThan, isObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { describeJsonError } from '../json/python-json-error.js';
import { pythonRepr } from './python-repr.js';

export type FilterFields = Readonly<Record<string, FilterField>>;

const MAX_LENGTH = 32_768;
const MAX_DEPTH = 50;

/** Some operators exist only in some lists. */
export type Dialect = 'rows' | 'requests';

/**
 * Converts a JSON Logic text to a condition; null for an empty text. Only the given `fields` are used, and values
 * become parameters of the field's type. A row whose field is null fails every comparison and passes its negation.
 * Throws a FilterError for anything else.
 * @param dialect `requests` has `!=` but not `!!`
 */
export function parseFilter(text: string, fields: FilterFields, dialect: Dialect = 'rows'): Sql | null {
  if (text === '') return null;
  if (text.length > MAX_LENGTH) throw new FilterError(`filter: more than ${MAX_LENGTH} characters`);
  const rule = parseJson(text);
  if (isDeeperThan(rule, MAX_DEPTH)) throw new FilterError(`filter: nested more than ${MAX_DEPTH} levels deep`);
  return new Translation(fields, dialect).expression(rule);
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new FilterError(`filter: can't parse filter expression: ${describeJsonError(text)}`);
  }
}

interface Comparison {
  readonly compare: (column: Sql, value: Sql) => Sql;
  /** Keeps `id < 1.5` and `id >= 1.5` correct for integers. */
  readonly round: Rounding;
}

const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['==', { compare: (column: Sql, value: Sql) => sql`${column} = ${value}`, round: Math.trunc }],
  ['<', { compare: (column: Sql, value: Sql) => sql`${column} < ${value}`, round: Math.ceil }],
  ['>', { compare: (column: Sql, value: Sql) => sql`${column} > ${value}`, round: Math.floor }],
  ['<=', { compare: (column: Sql, value: Sql) => sql`${column} <= ${value}`, round: Math.floor }],
  ['>=', { compare: (column: Sql, value: Sql) => sql`${column} >= ${value}`, round: Math.ceil }],
]);

/** A field with the client's name for it. */
interface Variable {
  readonly name: string;
  readonly field: FilterField;
}

class Translation {
  constructor(
    private readonly fields: FilterFields,
    private readonly dialect: Dialect,
  ) {}

  expression(rule: JsonValue): Sql {
    if (isEmpty(rule)) throw new FilterError("filter shouldn't be empty");
    const first = isObject(rule) ? Object.entries(rule)[0] : undefined;
    if (first === undefined) throw new FilterError(`filter: ${pythonRepr(rule)} is not an expression`);
    const [operator, operands] = first; // further keys are ignored
    return this.unary(operator, operands) ?? this.nary(operator, operands) ?? notImplemented(operator, operands);
  }

  private unary(operator: string, operand: JsonValue): Sql | undefined {
    if (operator === 'var') return isSet(this.variable({ var: operand }).field);
    if (!isObject(operand)) return undefined;
    if (operator === '!') return sql`(${this.expression(operand)}) is not true`;
    return operator === '!!' && this.dialect === 'rows' ? this.expression(operand) : undefined;
  }

  private nary(operator: string, operands: JsonValue): Sql | undefined {
    if (!Array.isArray(operands)) return undefined;
    if ((operator === 'and' || operator === 'or') && operands.length > 0) {
      const parts = operands.map((operand) => this.expression(operand));
      return operator === 'and' ? and(parts) : or(parts);
    }
    if (operator === '!=' && this.dialect === 'requests') {
      const equal = this.nary('==', operands);
      return equal === undefined ? undefined : sql`(${equal}) is not true`;
    }
    if (operands.length === 2)
      return operator === 'in' ? this.membership(operands) : this.comparison(operator, operands);
    return operator === '<=' && operands.length === 3 ? this.between(operands) : undefined;
  }

  private comparison(operator: string, [left, right = null]: readonly JsonValue[]): Sql | undefined {
    const comparison = comparisons.get(operator);
    if (comparison === undefined || !isObject(left)) return undefined;
    const variable = this.variable(left);
    if (right === null && operator === '==') return sql`not (${isSet(variable.field)})`;
    const value = valueOf(variable, right, comparison.round);
    return where(variable.field, comparison.compare(variable.field.column, scalar(variable.field.kind, value)));
  }

  private between([low = null, middle, high = null]: readonly JsonValue[]): Sql | undefined {
    if (!isObject(middle)) return undefined;
    const variable = this.variable(middle);
    const { column, kind } = variable.field;
    const from = scalar(kind, valueOf(variable, low, Math.ceil));
    const to = scalar(kind, valueOf(variable, high, Math.floor));
    return where(variable.field, sql`${column} between ${from} and ${to}`);
  }

  /** `[field, list]` means one of the list; `[text, field]` means contains. */
  private membership([left, right]: readonly JsonValue[]): Sql | undefined {
    if (isObject(left) && Array.isArray(right)) {
      const variable = this.variable(left);
      const { column, kind } = variable.field;
      const values = right.filter((value) => value !== null).map((value) => valueOf(variable, value, Math.trunc));
      return where(variable.field, sql`${column} = any(${array(kind, values)})`);
    }
    if (!isObject(right) || (typeof left !== 'string' && typeof left !== 'number')) return undefined;
    const variable = this.variable(right);
    const { column, inBatches = same } = variable.field;
    return where(variable.field, contains(inBatches(column), String(valueOf(asText(variable), left, Math.trunc))));
  }

  private variable(operand: JsonObject): Variable {
    const name = Object.hasOwn(operand, 'var') ? operand['var'] : undefined;
    const field = typeof name === 'string' && Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
    if (typeof name === 'string' && field !== undefined) return { name, field };
    throw new FilterError(`filter: ${pythonRepr(name ?? 'var')} term is not supported`);
  }
}

const asText = (variable: Variable): Variable => ({ ...variable, field: { ...variable.field, kind: 'text' } });

const where = (field: FilterField, condition: Sql): Sql => field.exists?.(condition) ?? condition;

const isSet = (field: FilterField): Sql =>
  where(field, field.missing === undefined ? sql`${field.column} is not null` : sql`not (${field.missing})`);

const isEmpty = (rule: JsonValue): boolean =>
  rule === null || rule === '' || (typeof rule === 'object' && Object.keys(rule).length === 0);

function valueOf({ name, field }: Variable, value: JsonValue, round: Rounding): FilterValue {
  const read = readValue(field.kind, value, round);
  if (read !== undefined) return typeof read === 'string' ? canonical(field, read) : read;
  throw new FilterError(`filter: ${pythonRepr(value)} is not a valid value of ${pythonRepr(name)}`);
}

function notImplemented(operator: string, operands: JsonValue): never {
  throw new FilterError(`filter: ${operator} operation with ${pythonRepr(operands)} arguments is not implemented`);
}

const same = (column: Sql): Sql => column;
