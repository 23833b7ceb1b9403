import { open } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'major'; execution: 'async' }) => Promise<void>;
setFlagsFromString('--no-expose-gc');

const PAUSE_MS = 1_000;
let last = -Infinity;

/**
 * Collects all garbage, at most once a second. After a large request V8 lets garbage grow to about twice the memory
 * that was in use, so the next large request would start on top of the last one. Stops the thread for about 70 ms with
 * 100 MB in use.
 */
export async function collectGarbage(): Promise<void> {
  if (performance.now() - last < PAUSE_MS) return;
  last = performance.now();
  await collect({ type: 'major', execution: 'async' });
}

/** Reads a file into one buffer. From 512 KB on, `readFile` reads in parts and then copies them into one. */
export async function readWholeFile(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const content = Buffer.allocUnsafeSlow(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await file.read(content, at, size - at, at);
      if (bytesRead === 0) break; // it was cut meanwhile
      at += bytesRead;
    }
    return content.subarray(0, at);
  } finally {
    await file.close();
  }
}
