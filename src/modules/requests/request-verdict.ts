import type { EndCause } from '../../core/process-group/messages.js';

export interface VerdictLimits {
  readonly memoryBytes: number;
  readonly timeMs: number;
  readonly freezeMs: number;
}

/** How a sentence names what a request does. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^create:task$/, 'creation of the task'],
  [/^import:/, 'import'],
  [/^export:backup$/, 'backup'],
  [/^export:/, 'export'],
  [/^calculate:quality$/, 'quality report'],
  [/^calculate:agreement$/, 'calculation of the agreement'],
  [/^merge:/, 'merge'],
  [/^autoannotate:/, 'automatic annotation'],
];

/** Why a request that has ended its process failed, and what to do: for its owner. */
export function verdictOn(cause: EndCause, type: string, limits: VerdictLimits): string {
  const name = NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? 'request';
  return `The ${name} was ended because ${reasonOf(cause, limits)}`;
}

function reasonOf(cause: EndCause, { memoryBytes, timeMs, freezeMs }: VerdictLimits): string {
  const less = 'Try it with less data at a time, or ask the administrator to raise';
  switch (cause) {
    case 'memory':
      return `it needed more than ${sizeText(memoryBytes)} of memory. ${less} REQUEST_MAX_MEMORY.`;
    case 'time':
      return `it took longer than ${durationText(timeMs)}. ${less} REQUEST_MAX_HOURS.`;
    case 'frozen':
      return `it was stuck in one step for ${durationText(freezeMs)}. ${less} REQUEST_FREEZE_SECONDS.`;
    case 'killed':
      return 'the system killed its process, probably because the machine ran out of memory. Try it with less data at a time, or ask the administrator for more memory.';
    case 'crashed':
    case 'cancelled':
    case 'stopping':
      return 'its process crashed. Check its data: a file may be damaged. If it is not, ask the administrator to report the error in the log.';
  }
}

const sizeText = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${Number((bytes / 2 ** 30).toFixed(1))} GB` : `${Math.round(bytes / 2 ** 20)} MB`;

const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function durationText(milliseconds: number): string {
  const [name, length] = UNITS.find(([, each]) => milliseconds >= each && milliseconds % each === 0) ?? UNITS[2];
  const count = Math.round(milliseconds / length);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
