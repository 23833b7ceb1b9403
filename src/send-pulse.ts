import type { Link } from './core/process-group/link.js';

const PULSE_MS = 1_000;

/** Tells the supervisor that the event loop turns. @param lingers whether work goes on that nobody waits for */
export function sendPulse(link: Link, lingers: () => boolean = () => false): void {
  const send = (): void => link.tell('pulse', { memory: process.memoryUsage.rss(), lingers: lingers() });
  setInterval(send, PULSE_MS).unref();
}
