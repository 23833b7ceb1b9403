import type { Presence } from '../../../app/api';
import { randomId } from '../../../app/random-id';

/** A hidden tab closes its stream, because a browser has only six connections to a server for all of its tabs. */
const HIDDEN_MS = 30_000;
const RETRY_MS = 10_000;
/** The server ends each stream after a minute. People are not shown as gone while the browser reconnects. */
const LOST_MS = 6_000;
/** Longer than a stream lasts. */
const MAX_SILENCE_MS = 75_000;
const CHECK_MS = 5_000;
/** If a check is so late, the computer was suspended. */
const SUSPENDED_MS = 30_000;

/** The stream of a job while its tab is visible. */
export class LiveStream {
  private readonly url: string;
  private source: EventSource | undefined;
  private isOver = false;
  /** When the stream has last shown that it works, and when that was last checked; by the clock, which runs on while a computer is suspended. */
  private alive = 0;
  private checked = Date.now();
  private readonly checking = setInterval(() => this.check(), CHECK_MS);
  private readonly timers = new Map<'hide' | 'retry' | 'lose', ReturnType<typeof setTimeout>>();

  /** @param show receives the state; undefined when the connection is lost */
  constructor(
    jobId: number,
    private readonly show: (state: Presence | undefined) => void,
  ) {
    this.url = `/api/jobs/${jobId}/presence?window=${randomId()}`;
    document.addEventListener('visibilitychange', this.onVisibility);
    this.onVisibility();
  }

  close(): void {
    this.isOver = true;
    clearInterval(this.checking);
    document.removeEventListener('visibilitychange', this.onVisibility);
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.source?.close();
  }

  private readonly onVisibility = (): void => {
    if (document.visibilityState === 'hidden') return this.later('hide', HIDDEN_MS, () => this.disconnect());
    clearTimeout(this.timers.get('hide'));
    if (this.source === undefined) this.connect();
  };

  private connect(): void {
    if (this.isOver || document.visibilityState === 'hidden') return;
    const source = new EventSource(this.url);
    this.source = source;
    this.alive = Date.now();
    const noteAlive = (): void => {
      this.alive = Date.now();
    };
    source.addEventListener('open', noteAlive);
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      noteAlive();
      const state = JSON.parse(data) as Presence;
      clearTimeout(this.timers.get('lose'));
      if (state.job === null) this.close();
      this.show(state);
    });
    source.addEventListener('error', () => {
      noteAlive();
      this.later('lose', LOST_MS, () => this.show(undefined));
      if (source.readyState !== EventSource.CLOSED) return; // the browser reconnects
      this.source = undefined;
      this.later('retry', RETRY_MS, () => this.connect());
    });
  }

  /** Connects again if the stream is dead: nothing tells the browser when the server or a router has dropped its connection. */
  private check(): void {
    const now = Date.now();
    const wasSuspended = now - this.checked > SUSPENDED_MS;
    this.checked = now;
    if (this.source === undefined || (!wasSuspended && now - this.alive <= MAX_SILENCE_MS)) return;
    this.source.close();
    this.later('lose', LOST_MS, () => this.show(undefined));
    this.source = undefined;
    this.connect();
  }

  private disconnect(): void {
    this.source?.close();
    this.source = undefined;
    this.show(undefined);
  }

  private later(what: 'hide' | 'retry' | 'lose', ms: number, run: () => void): void {
    clearTimeout(this.timers.get(what));
    this.timers.set(what, setTimeout(run, ms));
  }
}
