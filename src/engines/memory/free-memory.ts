import { MessageChannel } from 'node:worker_threads';

/** Nobody listens any more: what is sent is taken from the sender and dropped. */
const { port1: nowhere, port2: other } = new MessageChannel();
other.close();
nowhere.close();

/**
 * Gives the memory of what was received back at once, where the collector of garbage would run over everything that the
 * server remembers for every few megabytes of it. A part that shares its memory with others is left to the collector.
 * @param part what nobody will read again; it is empty afterwards
 */
export function freeMemory(part: Buffer): void {
  const { buffer } = part;
  if (part.length === 0 || part.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  nowhere.postMessage(null, [buffer]);
}
