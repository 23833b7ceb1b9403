import type { FileSink } from '../format.js';

/** A file of an archive. Images may still be being encoded. */
export interface PendingFile {
  readonly path: string;
  readonly content: Uint8Array | Promise<Uint8Array>;
}

/** Images that are encoded while the next one is painted. More would only take memory. */
const IMAGES_AHEAD = 1;
/** Small files that wait for an image in front of them. */
const FILES_AHEAD = 16;

/** Writes files in their order. libvips encodes images outside of the main thread, which paints the next one meanwhile. */
export async function writeAhead(sink: FileSink, files: AsyncIterable<PendingFile>): Promise<void> {
  const pending: PendingFile[] = [];
  let images = 0;
  const writeFirst = async (): Promise<void> => {
    const file = pending.shift();
    if (file === undefined) return;
    if (file.content instanceof Promise) images--;
    await sink.addFile(file.path, await file.content);
  };
  for await (const file of files) {
    pending.push(file);
    if (file.content instanceof Promise) {
      images++;
      file.content.catch(() => undefined); // reported when it is written, unless another error comes first
    }
    while (images === 0 ? pending.length > 0 : images > IMAGES_AHEAD || pending.length > FILES_AHEAD)
      await writeFirst();
  }
  while (pending.length > 0) await writeFirst();
}

/** A small file with a text. */
export const textFile = (path: string, text: string): PendingFile => ({ path, content: Buffer.from(text) });
