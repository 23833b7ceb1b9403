// Main program of a thread that requantizes JPEGs one after the other.

import { move } from 'piscina';
import { requantise } from './requantise.js';

/** A message to the thread. It contains byte arrays, since Buffers cannot be sent to threads. */
export interface RequantiseTask {
  readonly file: Uint8Array;
  readonly model: Uint8Array;
}

export function requantised({ file, model }: RequantiseTask): unknown {
  const made = requantise(bufferOf(file), bufferOf(model));
  return made === undefined ? undefined : move(made);
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);
