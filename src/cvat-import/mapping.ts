import type { DumpRecord } from './dump-record.js';
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
