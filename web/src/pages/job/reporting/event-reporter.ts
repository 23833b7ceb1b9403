/** An event as `POST /api/events` accepts it. */
export interface ReportedEvent {
  readonly scope: string;
  readonly timestamp: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly obj_name?: string;
  readonly count?: number;
  readonly project_id: number | null;
  readonly task_id: number;
  readonly job_id: number;
  readonly payload?: string;
}

/** The job whose events are reported. */
export interface ReportedJob {
  readonly id: number;
  readonly task_id: number;
  readonly project_id: number | null;
}

export interface EventMessage {
  readonly events: ReportedEvent[];
  readonly previous_event: ReportedEvent | null;
  readonly timestamp: string;
}

/** A message must be smaller than 64 kB to be sent while the page is closed. */
const EVENTS_AT_ONCE = 150;
/** More events than this wait only for a server that does not respond. */
const MAX_WAITING = 2000;
/** Frames that change faster than this are one event. */
const RUN_MS = 1000;

/** The scope of a step of the undo history, by the beginning of its title. */
const SCOPES: readonly (readonly [title: RegExp, scope: string])[] = [
  [/^(Draw|Add) /, 'draw:object'],
  [/^Paste /, 'paste:object'],
  [/^Propagate /, 'propagate:object'],
  [/^Move /, 'drag:object'],
  [/^(Resize|Rotate|Edit|Redraw) /, 'resize:object'],
  [/^Delete/, 'delete:object'],
  [/^Merge/, 'merge:objects'],
  [/^(Group|Ungroup)/, 'group:objects'],
  [/^Split/, 'split:objects'],
  [/^Slice/, 'slice:object'],
  [/^Join/, 'join:objects'],
  [/^Undo$/, 'action:undo'],
  [/^Redo$/, 'action:redo'],
];

/** Collects what the user does in a job, and sends it in batches. A batch that fails is sent again with the next one. */
export class EventReporter {
  private waiting: ReportedEvent[] = [];
  private previous: ReportedEvent | null = null;
  private frame:
    { readonly number: number; readonly event: ReportedEvent | undefined; readonly end: number } | undefined;
  private lastActivity = -Infinity;
  private sending: Promise<void> | undefined;

  /**
   * @param send returns whether the server has accepted the message
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly job: ReportedJob,
    private readonly send: (message: EventMessage) => Promise<boolean>,
    private readonly now: () => number = Date.now,
  ) {}

  report(scope: string, more: Partial<Pick<ReportedEvent, 'duration' | 'obj_name' | 'count' | 'payload'>> = {}): void {
    this.lastActivity = this.now();
    this.push(this.event(scope, this.now() - (more.duration ?? 0), more));
  }

  /** Reports a step of the undo history. @param title as shown to the user */
  operation(title: string, count: number): void {
    const scope = SCOPES.find(([beginning]) => beginning.test(title))?.[1];
    if (scope === undefined) return this.activity();
    const name = /^(?:Draw|Add|Paste|Move) (\w+)$/.exec(title)?.[1];
    this.report(scope, { count, ...(name === undefined ? {} : { obj_name: name }) });
  }

  /** The user does something that is not an event of its own. Reported at most every `quietMs`. */
  activity(quietMs = 0): void {
    if (this.now() - this.lastActivity < quietMs) return;
    this.report('user:activity');
  }

  /** The frame that the user sees. Quick changes are one event with their duration. */
  showFrame(number: number): void {
    const before = this.frame;
    const now = this.now();
    if (before === undefined) return void (this.frame = { number, event: undefined, end: now });
    if (before.number === number) return;
    const last = before.event;
    const isRun = last !== undefined && this.waiting.at(-1) === last && now - before.end < RUN_MS;
    const from = isRun ? (JSON.parse(last.payload ?? '{}') as { from: number; count: number }) : undefined;
    const start = isRun ? Date.parse(last.timestamp) : now;
    const payload = { from: from?.from ?? before.number, to: number, count: (from?.count ?? 0) + 1 };
    const event = this.event('change:frame', start, { duration: now - start, payload: JSON.stringify(payload) });
    if (isRun) this.waiting.pop();
    this.lastActivity = now;
    this.push(event);
    this.frame = { number, event, end: now };
  }

  /** Sends what is waiting. Never rejects. */
  flush(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => (this.sending = undefined));
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const events = this.waiting.slice(0, EVENTS_AT_ONCE);
      this.waiting = this.waiting.slice(events.length);
      const timestamp = new Date(this.now()).toISOString();
      const isSent = await this.send({ events, previous_event: this.previous, timestamp }).catch(() => false);
      if (!isSent) {
        this.waiting = [...events, ...this.waiting].slice(-MAX_WAITING);
        return;
      }
      this.previous = events.at(-1) ?? null;
    }
  }

  private push(event: ReportedEvent): void {
    this.waiting.push(event);
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
  }

  private event(scope: string, start: number, more: Partial<ReportedEvent>): ReportedEvent {
    const { id, task_id, project_id } = this.job;
    return {
      scope,
      timestamp: new Date(start).toISOString(),
      duration: 0,
      ...more,
      job_id: id,
      task_id,
      project_id,
    };
  }
}
