// Processor time of processes, from /proc.

import { readdirSync, readFileSync } from 'node:fs';

/** Resolution of the kernel's clock for processor times. */
const TICK_MS = 10;

/** @returns processor time in milliseconds of a process and all its descendants so far, including those that have exited; 0 where there is no /proc */
export function processorTime(root) {
  const processes = allProcesses();
  return below(root, processes).reduce((sum, id) => sum + processes.get(id).time, 0);
}

/** A process with all its descendants, by id; empty where there is no /proc. */
export const descendants = (root) => below(root, allProcesses());

function below(root, processes) {
  return [...processes.keys()].filter((id) => {
    let ancestor = id;
    while (ancestor !== root && processes.has(ancestor)) ancestor = processes.get(ancestor).parent;
    return ancestor === root;
  });
}

function allProcesses() {
  const processes = new Map();
  for (const name of processIds()) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      processes.set(Number(name), {
        parent: Number(fields[1]),
        time: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * TICK_MS,
      });
    } catch {
      // It has exited meanwhile.
    }
  }
  return processes;
}

function processIds() {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}
