/** Embedded PostgreSQL cannot run; the message is one sentence that says what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/**
 * A text field of a thrown value. Does not use `instanceof Error`: under Jest, Node's own errors belong to another
 * realm.
 */
function textOf(error: unknown, field: 'code' | 'path' | 'message'): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The message of a thrown value. */
export const messageOf = (error: unknown): string => textOf(error, 'message') ?? String(error);

/** Whether `error` has one of the given system error codes (`ENOENT`, `EEXIST`, …) or SQLSTATEs. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = textOf(error, 'code');
  return code !== undefined && codes.includes(code);
}

/** Converts a failed file operation under `folder` into a message for the person who starts the server. */
export function fileError(error: unknown, folder: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const path = textOf(error, 'path') ?? folder;
  const sentence = {
    EACCES: `No permission to use ${path}: give this user access to it, or set DATA_DIR to another folder.`,
    EPERM: `No permission to use ${path}: give this user access to it, or set DATA_DIR to another folder.`,
    EROFS: `${path} is on a read-only file system: set DATA_DIR to a writable folder.`,
    ENOSPC: `The disk that holds ${path} is full: free some space, or set DATA_DIR to a folder on another disk.`,
    EDQUOT: `The disk quota for ${path} is used up: free some space, or set DATA_DIR to a folder on another disk.`,
    ENOTDIR: `A part of ${path} is a file where a folder is needed: set DATA_DIR to another folder.`,
    ENOENT: `${path} cannot be created: mount its disk, or set DATA_DIR to another folder.`,
    EEXIST: `A part of ${path} is a file where a folder is needed: set DATA_DIR to another folder.`,
  }[textOf(error, 'code') ?? ''];
  return new EmbeddedPostgresError(
    sentence ?? `The PostgreSQL data folder ${path} cannot be used: ${messageOf(error)}.`,
    { cause: error },
  );
}

const knownFailures: ReadonlyArray<[RegExp, string]> = [
  [
    /No space left on device|wrote only \d+ of/i,
    'the disk is full: free some space, or set DATA_DIR to a folder on another disk',
  ],
  [/Disk quota exceeded/i, 'the disk quota is used up: free some space, or set DATA_DIR to a folder on another disk'],
  [/could not (create|bind|listen)[^\n]*(Unix|socket|IPv4|IPv6)/i, 'its socket or port cannot be opened'],
  [/pre-existing shared memory block|lock file ".*" already exists/i, 'another PostgreSQL still uses the data folder'],
  [/Permission denied/i, 'the user it runs as has no access to the data folder'],
  [
    /cannot execute: required file not found|GLIBC|error while loading shared libraries|Exec format error/i,
    'its binaries do not run on this system: set DATABASE_URL to a PostgreSQL server of your own',
  ],
];

/**
 * Summarizes PostgreSQL's output before it exited in one sentence: the known cause, if there is one, and always its
 * first fatal line.
 */
export function explainOutput(what: string, output: string): EmbeddedPostgresError {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.includes('the database system is ')); // "starting up" is the response to our own early connection
  const line = lines.find((text) => /(FATAL|PANIC|ERROR|error):/.test(text)) ?? lines.at(-1) ?? 'it printed no error';
  const own = line.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, '').replace(/\.$/, '');
  const known = knownFailures.find(([pattern]) => pattern.test(output))?.[1];
  return new EmbeddedPostgresError(known ? `${what} failed: ${known} (${own}).` : `${what} failed: ${own}.`);
}
