import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { none } from 'stream-chain/core';
import { streamArray, type StreamArrayItem } from 'stream-json/streamers/stream-array.js';
import { CvatImportError } from './cvat-import-error.js';

/** In characters. Records that begin in a damaged piece are lost, so a small piece keeps the last good record near. */
const PIECE = 256;

/**
 * Yields the records of a dump one after the other, whatever its length.
 * @throws CvatImportError if the file cannot be read, is truncated, or is not a list of records
 */
export async function* readDump(path: string): AsyncGenerator<DumpRecord> {
  await requireFile(path);
  let last: DumpRecord | undefined;
  let position = 0;
  try {
    for await (const value of elements(path)) {
      last = DumpRecord.of(value, position);
      position += 1;
      yield last;
    }
  } catch (error) {
    if (error instanceof CvatImportError) throw error;
    if (isFileError(error)) throw unreadable(path, error);
    const place = last === undefined ? 'at its beginning' : `after ${last.name} (record ${position})`;
    throw new CvatImportError(`The dump ${path} is damaged or incomplete ${place}.`, { cause: error });
  }
}

/** The library's types lack the end marker (`none`), and that a composed pipeline is a generator. */
type Parse = (piece: string | typeof none) => AsyncIterable<StreamArrayItem>;

async function* elements(path: string): AsyncGenerator<unknown> {
  const parse = streamArray.withParser() as unknown as Parse;
  for await (const piece of pieces(path)) {
    for await (const element of parse(piece)) yield element.value;
  }
  for await (const element of parse(none)) yield element.value;
}

async function* pieces(path: string): AsyncGenerator<string> {
  const source: AsyncIterable<string> = createReadStream(path, 'utf8');
  for await (const text of source) {
    for (let start = 0; start < text.length; start += PIECE) yield text.slice(start, start + PIECE);
  }
}

async function requireFile(path: string): Promise<void> {
  const file = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!file.isFile()) throw new CvatImportError(`The dump ${path} is not a file.`);
}

const isFileError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

const unreadable = (path: string, error: unknown): CvatImportError =>
  new CvatImportError(`The dump ${path} cannot be read: ${(error as Error).message}.`, { cause: error });

type Fields = Readonly<Record<string, unknown>>;

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
    if (typeof pk !== 'number' && typeof pk !== 'string') {
      throw new CvatImportError(
        `Record ${position + 1} of the dump (${model}) has no key: create the dump without --natural-primary.`,
      );
    }
    return new DumpRecord(model.toLowerCase(), pk, fields);
  }

  /** The name by which a person finds the record, such as `engine.task 5`. */
  get name(): string {
    return `${this.model} ${this.pk}`;
  }

  /** The key of models with a numeric key. */
  get id(): number {
    if (isInteger(this.pk)) return this.pk;
    throw new CvatImportError(`${this.name} does not have a number as its key.`);
  }

  /** The key of models with a UUID, in lower case. */
  get uuid(): string {
    if (typeof this.pk === 'string' && UUID.test(this.pk)) return this.pk.toLowerCase();
    throw new CvatImportError(`${this.name} does not have a UUID as its key.`);
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

  dateOrNull(field: string): string | null {
    return this.read(field, null, 'a date', orNull(isDate));
  }

  /** A list whose items satisfy the predicate. */
  list<T>(field: string, what: string, is: (value: unknown) => value is T): T[] {
    return this.read(
      field,
      undefined,
      `a list of ${what}`,
      (value): value is T[] => Array.isArray(value) && value.every(is),
    );
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

  wrong(field: string, expectation: string): CvatImportError {
    return new CvatImportError(`The field "${field}" of ${this.name} is not ${expectation}.`);
  }

  private read<T>(field: string, fallback: T | undefined, what: string, is: (value: unknown) => value is T): T {
    const value = this.value(field);
    if (value === undefined && fallback !== undefined) return fallback;
    if (value === undefined) throw new CvatImportError(`${this.name} has no field "${field}".`);
    if (!is(value)) throw this.wrong(field, what);
    return value;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isInteger = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_INTEGER;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isDate = (value: unknown): value is string =>
  isText(value) && DATE.test(value) && !Number.isNaN(Date.parse(value));

const orNull =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
