import { MessageChannel } from 'node:worker_threads';

/** Nobody listens: a transferred buffer is detached from its sender and dropped. */
const { port1: nowhere, port2: other } = new MessageChannel();
other.close();
nowhere.close();

/**
 * Releases the memory of received data immediately. Otherwise the garbage collector would scan the server's whole heap
 * for every few megabytes. A part that shares its memory is left to the collector.
 * @param part data that nobody will read again; it is empty afterwards
 */
export function freeMemory(part: Buffer): void {
  const { buffer } = part;
  if (part.length === 0 || part.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  nowhere.postMessage(null, [buffer]);
}
