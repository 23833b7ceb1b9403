/*
 * A backup is a tar archive, which can be written and read in one pass:
 *
 *   header.json                    BackupHeader: what a restore must know before the rest
 *   secret.key                     the secret key of the data folder, unless SECRET_KEY is set or it was left out
 *   database/<table>/<n>.copy.gz   rows in COPY's text format
 *   files/<key>                    files, with their keys in the storage
 *   manifest.json                  BackupManifest: what the entries before it must add up to
 *   SHA256SUMS                     a line for each entry before it, as sha256sum writes it
 *   end.json                       BackupEnd: without it, a backup is incomplete
 */

export const FORMAT = 'cairn-backup';
export const FORMAT_VERSION = 1;

export const HEADER = 'header.json';
export const SECRET = 'secret.key';
export const CHECKSUMS = 'SHA256SUMS';
export const MANIFEST = 'manifest.json';
export const END = 'end.json';
export const DATABASE = 'database/';
export const FILES = 'files/';

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface BackupPartition {
  readonly parent: string;
  readonly name: string;
  /** `FOR VALUES FROM (…) TO (…)`. */
  readonly bound: string;
}

export interface BackupHeader {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of Cairn that made the backup. */
  readonly cairn: string;
  /** When the database was read, in ISO 8601. */
  readonly created: string;
  /** All migrations of the schema, in order. */
  readonly migrations: readonly string[];
  readonly tables: readonly BackupTable[];
  readonly partitions: readonly BackupPartition[];
  /** Shows whether the secret of the restored installation can decrypt the secrets in the database. */
  readonly secretCheck: string;
}

export interface BackupSequence {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

export interface BackupEnd {
  /** Number of lines in SHA256SUMS. */
  readonly entries: number;
  /** Of SHA256SUMS. */
  readonly sha256: string;
}

export interface BackupManifest {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly sequences: readonly BackupSequence[];
  readonly files: number;
  readonly bytes: number;
  /** Keys of files that the database refers to and that did not exist, at most {@link MAX_NAMED}. */
  readonly missing: readonly string[];
}

/** Maximum number of missing files that are named. */
export const MAX_NAMED = 100;

/** Why a backup cannot be made or restored: one sentence for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The first folders of keys. */
export const FOLDERS = ['media', 'assets', 'uploads', 'exports', 'imports'] as const;

/** Whether a key leads to a file of the installation and not out of its folders. */
export function isSafeKey(key: string): boolean {
  const parts = key.split('/');
  const isInFolder = FOLDERS.some((folder) => folder === parts[0]) && parts.length > 1;
  return isInFolder && !key.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

export const tableEntry = (table: string, part: number): string =>
  `${DATABASE}${table}/${String(part).padStart(6, '0')}.copy.gz`;

/** @returns the table of an entry; undefined if it is none */
export const tableOf = (entry: string): string | undefined =>
  /^database\/([a-z0-9_]+)\/\d+\.copy\.gz$/.exec(entry)?.[1];
