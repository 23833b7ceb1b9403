import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of a process that this one has just started.
 * @param niceness 0 to 19; a process that is already nicer stays so, since only administrators may raise a priority
 */
export function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid === undefined || niceness <= getPriority()) return;
  try {
    setPriority(pid, niceness);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error; // it has already ended
  }
}
