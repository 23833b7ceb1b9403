import { methodHook } from '../discovery/discovery.js';

/** What a check says when all is well. */
export const WORKING = 'working';

/**
 * The method checks a part of the background work, and returns `WORKING` or a sentence that says what is wrong. Health
 * shows it under the name. Such a problem is no reason to send requests to another server, so probes do not fail.
 */
export const ReportsHealth = methodHook<string, () => Promise<string>>();

/** Something that waits longer than this is late. */
export const LATE_SECONDS = 60;

/** A time in words: `75 seconds`, `3 minutes`, `5 hours`. */
export function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} seconds`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} minutes`;
  return `${Math.floor(seconds / 3600)} hours`;
}
