import { useEffect, useRef, useState } from 'react';
import type { Presence } from '../../../app/api';
import { randomId } from '../../../app/random-id';

/** A hidden tab closes its stream, because a browser has only six connections to a server for all of its tabs. */
const HIDDEN_MS = 30_000;
const RETRY_MS = 10_000;
/** The server ends each stream after a minute. People are not shown as gone while the browser reconnects. */
const LOST_MS = 6_000;

/**
 * Follows who has the job open, and when its state or its annotations change. Others see this user in the job as long as
 * the tab is visible.
 * @param enabled false until the job is loaded
 * @param onState called with every message
 * @returns the current state; undefined while it is unknown
 */
export function useLive(jobId: number, enabled: boolean, onState: (state: Presence) => void): Presence | undefined {
  const [state, setState] = useState<Presence>();
  const latest = useRef(onState);
  useEffect(() => {
    latest.current = onState;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    const stream = new LiveStream(jobId, (next) => {
      setState(next);
      if (next !== undefined) latest.current(next);
    });
    return () => stream.close();
  }, [jobId, enabled]);
  return state;
}

/** The stream of a job while its tab is visible. */
class LiveStream {
  private readonly url: string;
  private source: EventSource | undefined;
  private isOver = false;
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
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const state = JSON.parse(data) as Presence;
      clearTimeout(this.timers.get('lose'));
      if (state.job === null) this.close();
      this.show(state);
    });
    source.addEventListener('error', () => {
      this.later('lose', LOST_MS, () => this.show(undefined));
      if (source.readyState !== EventSource.CLOSED) return; // the browser reconnects
      this.source = undefined;
      this.later('retry', RETRY_MS, () => this.connect());
    });
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
