/** What the working time depends on. */
export interface TimedEvent {
  readonly scope: string;
  /** Microseconds since 1970. */
  readonly time: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly job_id: number | null;
  readonly task_id: number | null;
  readonly project_id: number | null;
}

/** Time that a user has worked on a job, or outside of jobs. */
export interface WorkingTime extends Pick<TimedEvent, 'job_id' | 'task_id' | 'project_id'> {
  /** Whole milliseconds. */
  readonly duration: number;
  /** When it was first noticed, in microseconds since 1970. */
  readonly time: number;
}

/** A longer gap between two events is a break. */
const BREAK_US = 100_000_000;

/** A run of frame changes is one event with its total duration. */
const endOf = ({ scope, time, duration }: TimedEvent): number =>
  scope === 'change:frame' ? time + duration * 1000 : time;

const keyOf = (event: TimedEvent): string => `${event.job_id} ${event.task_id} ${event.project_id}`;

/**
 * The working time in a message. The time up to an event belongs to what the event before was about. Gaps of 100 s and
 * more do not count.
 * @param events in the order sent
 * @param previous the last event of the message before
 */
export function workingTimes(events: readonly TimedEvent[], previous: TimedEvent | null): WorkingTime[] {
  const [first] = events;
  if (first === undefined) return [];
  let current = previous ?? first;
  let lastEnd = previous === null ? first.time : endOf(previous);
  const sums = new Map<string, { of: TimedEvent; time: number; duration: number }>();
  for (const event of events) {
    let counted = 0;
    if (event.time > lastEnd) {
      const gap = event.time - lastEnd;
      if (gap < BREAK_US) counted += gap;
      lastEnd = event.time;
    }
    const end = endOf(event);
    if (end > lastEnd) {
      counted += end - lastEnd;
      lastEnd = end;
    }
    const key = keyOf(current);
    const sum = sums.get(key) ?? { of: current, time: event.time, duration: 0 };
    sums.set(key, { ...sum, duration: sum.duration + counted });
    current = event;
  }
  return [...sums.values()]
    .filter(({ duration }) => duration > 0)
    .map(({ of: { job_id, task_id, project_id }, time, duration }) => {
      return { job_id, task_id, project_id, time, duration: Math.floor(duration / 1000) };
    });
}
