import { getHeapStatistics } from 'node:v8';
import { machineMemory } from '../config/machine-memory.js';

/** Part of the memory for the heaps of all processes. The rest is for buffers, images and the database. */
const SHARE = 0.6;
const LEAST_MB = 256;
const MB = 2 ** 20;

interface Machine {
  /** Bytes that all processes can use together. */
  readonly memory: number;
  /** The limit of one process according to Node.js, in bytes. */
  readonly heapLimit: number;
}

/** Node.js derives its default from the machine's memory, as if it ran only one process. */
const thisMachine = (): Machine => ({
  memory: machineMemory(),
  heapLimit: getHeapStatistics().heap_size_limit,
});

/** The limit for the heap of each of several processes, in megabytes; null if Node.js's own limit is low enough. */
export function heapLimitMb(processes: number, { memory, heapLimit }: Machine = thisMachine()): number | null {
  const fair = (memory * SHARE) / processes;
  return fair >= heapLimit ? null : Math.max(LEAST_MB, Math.floor(fair / MB));
}

/** Whether the person who started this process has set a limit. */
export function hasOwnHeapLimit(flags: readonly string[], nodeOptions = ''): boolean {
  return [...flags, nodeOptions].some((text) => /--max[-_]old[-_]space[-_]size/.test(text));
}
