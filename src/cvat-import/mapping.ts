import type { DumpRecord } from './dump-record.js';
import type { People } from './people.js';

/** Values by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Why a record cannot be imported, in the same words for all such records of a model. */
export interface Omission {
  readonly reason: string;
}

/** What a mapping needs in addition to the record. */
export interface MappingContext {
  readonly people: People;
  readonly sealing: Sealing;
}

/** The credentials of a bucket: of S3, or of Azure. */
export type CloudCredentials =
  | { readonly key: string; readonly secret: string; readonly token?: string }
  | { readonly account: string; readonly sasToken?: string }
  | { readonly connectionString: string };

/** Encrypts secrets for the database as the server does. */
export interface Sealing {
  /** @returns null for an empty secret */
  webhookSecret(secret: string): string | null;
  cloudCredentials(credentials: CloudCredentials): string;
}

/** Converts the records of one model of CVAT. */
export interface Mapping {
  readonly model: string;
  /** The stage of its rows, see stages.ts. Absent if it has no rows of its own. */
  readonly stage?: string;
  /**
   * Pure, except that it adds to `people`.
   * @throws CvatImportError if the record is damaged
   */
  map(record: DumpRecord, context: MappingContext): readonly Row[] | Omission;
  /** More rows of the same record, in another stage. */
  readonly parts?: { readonly stage: string; map(record: DumpRecord): readonly Row[] };
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Reads numbers that CVAT stores as text: `1,2.5` or `[1, 2.5]`, empty as `` or `[]`.
 * @throws CvatImportError that names record and field
 */
export function readNumbers(record: DumpRecord, field: string, fallback?: string): number[] {
  const text = record.text(field, fallback).trim();
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (inner.trim() === '') return [];
  return inner.split(',').map((part) => {
    const number = NUMBER.test(part.trim()) ? Number(part) : NaN;
    if (!Number.isFinite(number)) throw record.wrong(field, 'a list of numbers');
    return number;
  });
}

/** The same for integers. */
export function readIntegers(record: DumpRecord, field: string, fallback?: string): number[] {
  const numbers = readNumbers(record, field, fallback);
  if (!numbers.every(Number.isSafeInteger)) throw record.wrong(field, 'a list of whole numbers');
  return numbers;
}
