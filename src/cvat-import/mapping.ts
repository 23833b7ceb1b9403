import type { DumpRecord } from './read-dump.js';
import type { People } from './people.js';

/** Values by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Why a record cannot come, the same words for all records of a kind. */
export interface LeftOut {
  readonly reason: string;
}

/** What a mapping may need beside the record. */
export interface MappingContext {
  readonly people: People;
  readonly sealing: Sealing;
}

/** What opens a bucket. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
  readonly token?: string;
}

/** Encrypts secrets for the database as the server does. */
export interface Sealing {
  /** @returns null for the empty secret */
  webhookSecret(secret: string): string | null;
  keyPair(pair: KeyPair): string;
}

/** What becomes of the records of one model of CVAT. */
export interface Mapping {
  readonly model: string;
  /** Where its rows go; see stages.ts. Absent: it has no rows of its own. */
  readonly stage?: string;
  /**
   * Pure but for what it adds to the people.
   * @throws CvatImportError for a damaged record
   */
  map(record: DumpRecord, context: MappingContext): readonly Row[] | LeftOut;
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Numbers that CVAT keeps as one text: `1,2.5` or `[1, 2.5]`, empty as `` or `[]`.
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

/** The same for whole numbers. */
export function readIntegers(record: DumpRecord, field: string, fallback?: string): number[] {
  const numbers = readNumbers(record, field, fallback);
  if (!numbers.every(Number.isSafeInteger)) throw record.wrong(field, 'a list of whole numbers');
  return numbers;
}
