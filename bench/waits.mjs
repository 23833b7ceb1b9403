// What other clients and the machine notice of one piece of work.

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendants } from './processor-time.mjs';

const PROBE_MS = 10;

/**
 * Sends a small request every 10 ms until the work is done.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{waits: number[], result: T}>} milliseconds of each small request
 */
export async function waitsDuring({ url, headers }, job, work) {
  const waits = [];
  const state = { isDone: false };
  const done = work().finally(() => (state.isDone = true));
  done.catch(() => {}); // it is awaited below
  while (!state.isDone) {
    const begin = performance.now();
    await (await fetch(`${url}/api/jobs/${job}`, { headers })).text();
    waits.push(performance.now() - begin);
    await pause(PROBE_MS);
  }
  return { waits, result: await done };
}

/**
 * Samples the resident memory of a server and its other Node.js processes, but not of its database.
 *
 * @param {number} root its process id
 * @returns {() => number} ends it and returns the maximum in bytes; 0 where there is no /proc
 */
export function watchMemory(root) {
  let largest = 0;
  const timer = setInterval(() => (largest = Math.max(largest, residentOf(root))), 50);
  return () => {
    clearInterval(timer);
    return largest;
  };
}

function residentOf(root) {
  return descendants(root)
    .map(statusOf)
    .filter(({ name }) => name !== 'postgres')
    .reduce((sum, { memory }) => sum + memory, 0);
}

function statusOf(id) {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    const value = (name) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
    return { name: value('Name'), memory: Number(value('VmRSS') ?? 0) * 1024 };
  } catch {
    return { name: undefined, memory: 0 }; // it has exited meanwhile
  }
}
