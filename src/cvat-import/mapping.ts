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
  /** Encrypts a secret for the database; null for the empty one. */
  readonly seal: (secret: string) => string | null;
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
