import { useEffect, useRef, useState } from 'react';
import type { Presence } from '../../../app/api';
import { LiveStream } from './live-stream';

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
