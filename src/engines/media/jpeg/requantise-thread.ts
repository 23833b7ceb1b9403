// The program of a thread that makes JPEGs coarser, one after the other.

import { move } from 'piscina';
import { requantise } from './requantise.js';

/** What arrives: bytes, for a thread knows no buffers. */
export interface RequantiseTask {
  readonly file: Uint8Array;
  readonly model: Uint8Array;
}

export function requantised({ file, model }: RequantiseTask): unknown {
  const made = requantise(bufferOf(file), bufferOf(model));
  return made === undefined ? undefined : move(made);
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);
