import { totalmem } from 'node:os';

/** The memory that all processes of this machine or container can use together, in bytes. */
export function machineMemory(): number {
  const limit = process.constrainedMemory() ?? 0; // of a container
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
