import { readFileSync } from 'node:fs';

/**
 * The memory of a process that is not a copy of files, in bytes: the rest could be read again. Small and synchronous, since
 * it is asked several times a second.
 * @returns undefined for a process that has ended, and on systems without /proc
 */
export function ownMemory(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
    return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
  } catch {
    return undefined;
  }
}
