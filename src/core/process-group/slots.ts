import { readSync, writeSync } from 'node:fs';

/** The descriptor of the file in the process that writes to it. */
export const SLOTS_DESCRIPTOR = 4;
const COUNT = 128;
const BYTES = 256;
const EMPTY = Buffer.alloc(1);

/**
 * What a process is working on, in a file that its supervisor reads after the process has frozen. Each work takes two system
 * calls of some microseconds, since nothing can be written any more once the thread stands still.
 */
export class SlotWriter {
  private readonly free = Array.from({ length: COUNT }, (_, slot) => slot);

  /** @param descriptor of the file */
  constructor(private readonly descriptor: number) {}

  /** @returns a function that ends the work. Beyond the number of slots, work is not recorded. */
  begin(text: string): () => void {
    const slot = this.free.pop();
    if (slot === undefined) return () => undefined;
    const content = Buffer.alloc(BYTES);
    content.write(text, 0, BYTES - 1);
    this.write(slot, content);
    return () => {
      this.write(slot, EMPTY);
      this.free.push(slot);
    };
  }

  private write(slot: number, content: Buffer): void {
    try {
      writeSync(this.descriptor, content, 0, content.length, slot * BYTES);
    } catch {
      // The disk is full: the supervisor only knows less.
    }
  }
}

/** What the process that writes to this file is working on. */
export function readSlots(descriptor: number): string[] {
  const content = Buffer.alloc(COUNT * BYTES);
  const length = readSync(descriptor, content, 0, content.length, 0);
  const texts: string[] = [];
  for (let at = 0; at < length; at += BYTES) {
    const end = content.indexOf(0, at);
    if (end > at) texts.push(content.toString('utf8', at, end));
  }
  return texts;
}
