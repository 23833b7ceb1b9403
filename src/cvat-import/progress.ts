/** How far an import is. */
export interface Progress {
  readonly step: 'read' | 'check' | 'files' | 'write';
  /** Records of the dump, files or rows, depending on the step. */
  readonly done: number;
  /** Absent if unknown. */
  readonly total?: number;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

export type OnProgress = (progress: Progress) => void;

const WORDS: Readonly<Record<Progress['step'], readonly [string, string]>> = {
  read: ['Reading the dump', 'records'],
  check: ['Checking', 'rows'],
  files: ['Copying files', 'files'],
  write: ['Writing', 'rows'],
};

/** The rate of the first seconds says little about the rest. */
const MIN_SECONDS = 3;

/**
 * One line for a terminal or a log: `Reading the dump: 1,200,000 records, 300 of 571 MB (53 %), 41,000 records/s, about
 * 1 min left`.
 * @param seconds since the step began
 */
export function progressText({ step, done, total, bytes, totalBytes }: Progress, seconds: number): string {
  const [title, unit] = WORDS[step];
  const [part, whole] = totalBytes === undefined ? [done, total] : [bytes ?? 0, totalBytes];
  const share = whole === undefined || whole === 0 ? undefined : Math.min(1, part / whole);
  const percent = share === undefined ? '' : ` (${Math.floor(share * 100)} %)`;
  const count = total === undefined ? number(done) : `${number(done)} of ${number(total)}`;
  const texts =
    totalBytes === undefined
      ? [`${count} ${unit}${percent}`]
      : [`${count} ${unit}`, `${megabytes(bytes ?? 0)} of ${megabytes(totalBytes)} MB${percent}`];
  if (seconds >= MIN_SECONDS && done > 0) {
    texts.push(`${number(rounded(done / seconds))} ${unit}/s`);
    if (share !== undefined && share > 0 && share < 1)
      texts.push(`about ${duration((seconds / share) * (1 - share))} left`);
  }
  return `${title}: ${texts.join(', ')}`;
}

const number = (value: number): string => value.toLocaleString('en-US');

const megabytes = (bytes: number): string => number(Math.round(bytes / 1e6));

/** To two digits. */
const rounded = (value: number): number => Number(value.toPrecision(2));

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
