import { CvatImportError, InvalidRecord } from './cvat-import-error.js';

type Fields = Readonly<Record<string, unknown>>;

/** A record as `dumpdata` writes it. */
export interface RawRecord {
  readonly model: string;
  readonly pk: number | string;
  readonly fields: Fields;
}

const MAX_INTEGER = 2 ** 31 - 1;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

/**
 * One record of a dump, read field by field. A field that is missing or has another type is an error that names record
 * and field. Afterwards, {@link unknownFields} lists the fields that nothing has read.
 */
export class DumpRecord {
  private readonly asked = new Set<string>();
  private readonly remarks: string[] = [];

  private constructor(
    readonly model: string,
    readonly pk: number | string,
    private readonly fields: Fields,
    private readonly hasKey: boolean,
  ) {}

  /**
   * @param position in the dump, from 0, to name a record without a name
   * @throws CvatImportError if the value is not a record
   */
  static of(value: unknown, position: number): DumpRecord {
    if (!isObject(value) || typeof value['model'] !== 'string' || !isObject(value['fields'])) {
      throw new CvatImportError(`Record ${position + 1} of the dump is not a record of Django's dumpdata.`);
    }
    const { model, pk, fields } = value;
    const hasKey = typeof pk === 'number' || typeof pk === 'string';
    return new DumpRecord(model.toLowerCase(), hasKey ? pk : `(record ${position + 1})`, fields, hasKey);
  }

  /** The name by which a person finds the record, such as `engine.task 5`. */
  get name(): string {
    return `${this.model} ${this.pk}`;
  }

  /** The key of models with a numeric key. */
  get id(): number {
    return this.key('a number', isInteger);
  }

  /** The key of models whose numbers exceed 32 bits on large servers. */
  get longId(): number {
    return this.key('a number', isLongInteger);
  }

  /** The key of models with a text as key. */
  get textId(): string {
    return this.key('a text', isText);
  }

  /** The key of models with a UUID, in lower case. */
  get uuid(): string {
    return this.key('a UUID', isUuid).toLowerCase();
  }

  text(field: string, fallback?: string): string {
    return this.read(field, fallback, 'a text', isText);
  }

  integer(field: string, fallback?: number): number {
    return this.read(field, fallback, 'a whole number', isInteger);
  }

  number(field: string, fallback?: number): number {
    return this.read(field, fallback, 'a number', isNumber);
  }

  boolean(field: string, fallback?: boolean): boolean {
    return this.read(field, fallback, 'true or false', isBoolean);
  }

  date(field: string): string {
    return this.read(field, undefined, 'a date', isDate);
  }

  integerOrNull(field: string): number | null {
    return this.read(field, null, 'a whole number', orNull(isInteger));
  }

  longInteger(field: string): number {
    return this.read(field, undefined, 'a whole number', isLongInteger);
  }

  longIntegerOrNull(field: string): number | null {
    return this.read(field, null, 'a whole number', orNull(isLongInteger));
  }

  /** Null and a missing field give the fallback. */
  textOr(field: string, fallback: string): string {
    return this.read(field, null, 'a text', orNull(isText)) ?? fallback;
  }

  dateOrNull(field: string): string | null {
    return this.read(field, null, 'a date', orNull(isDate));
  }

  /** A list whose items satisfy the predicate. A missing field is an empty list. */
  list<T>(field: string, what: string, is: (value: unknown) => value is T): T[] {
    return this.read(field, [], `a list of ${what}`, (value): value is T[] => Array.isArray(value) && value.every(is));
  }

  /** The JSON value of the field; undefined if it is missing. */
  value(field: string): unknown {
    this.asked.add(field);
    return this.fields[field];
  }

  /** Marks fields as known but not imported. */
  ignore(...fields: readonly string[]): void {
    for (const field of fields) this.asked.add(field);
  }

  /** Records what is left out of a record that is imported, in the same words for all such records of a model. */
  remark(text: string): void {
    this.remarks.push(text);
  }

  allRemarks(): readonly string[] {
    return this.remarks;
  }

  /** Fields that the mapping does not know. */
  unknownFields(): string[] {
    return Object.keys(this.fields).filter((field) => !this.asked.has(field));
  }

  /** The record as it is in the dump. */
  get raw(): RawRecord {
    return { model: this.model, pk: this.pk, fields: this.fields };
  }

  wrong(field: string, expectation: string): InvalidRecord {
    return this.invalid(field, `The field "${field}" of ${this.name} is not ${expectation}.`);
  }

  /** @param sentence says what is wrong, and names the record */
  invalid(field: string, sentence: string): InvalidRecord {
    return new InvalidRecord({ model: this.model, pk: String(this.pk), field, sentence });
  }

  private key<T>(what: string, is: (value: unknown) => value is T): T {
    if (!this.hasKey) throw this.invalid('pk', `${this.name} has no key: create the dump without --natural-primary.`);
    const { pk } = this;
    if (is(pk)) return pk;
    throw this.invalid('pk', `${this.name} does not have ${what} as its key.`);
  }

  private read<T>(field: string, fallback: T | undefined, what: string, is: (value: unknown) => value is T): T {
    const value = this.value(field);
    if (value === undefined && fallback !== undefined) return fallback;
    if (value === undefined) throw this.invalid(field, `${this.name} has no field "${field}".`);
    if (!is(value)) throw this.wrong(field, what);
    return value;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** PostgreSQL cannot store the character U+0000. */
export const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
export const isInteger = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_INTEGER;
const isLongInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isUuid = (value: unknown): value is string => isText(value) && UUID.test(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isDate = (value: unknown): value is string =>
  isText(value) && DATE.test(value) && !Number.isNaN(Date.parse(value));

const orNull =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
