import type { Random } from './random.js';

/** What a part of the program is given. */
export interface FuzzInput {
  /** Written to a folder if the input takes too long. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  run(): Promise<unknown>;
}

/** A part of the program that works on strangers' data. */
export interface FuzzTarget {
  readonly name: string;
  /** Names of errors that are an answer, besides those that every target has. */
  readonly refusals?: readonly string[];
  /** Processor time that an input may take, instead of the usual limit; for work in the background. */
  readonly seconds?: number;
  /** Whether a request waits for it: then no turn of the event loop may be long. */
  readonly inRequest?: boolean;
  make(random: Random): FuzzInput | Promise<FuzzInput>;
}

/** Names of errors with a message for users. */
export const REFUSALS: readonly string[] = [
  'FormatError',
  'MediaError',
  'TooManyPairs',
  'ExcessiveJson',
  'AnnotationInvalid',
];
