import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import sharp from 'sharp';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

export interface ImageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly format?: 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif';
  /** EXIF orientation. */
  readonly orientation?: number;
  /** Red value of all pixels. */
  readonly red?: number;
}

/** An image of one colour. */
export function imageFile(options: ImageOptions = {}): Promise<Buffer> {
  const { width = 64, height = 48, format = 'jpeg', orientation = 1, red = 120 } = options;
  const image = sharp({ create: { width, height, channels: 3, background: { r: red, g: 60, b: 30 } } });
  return image.withMetadata({ orientation }).toFormat(format).toBuffer();
}

/** A zip archive, deflated. */
export async function zipOf(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, data] of Object.entries(files)) zip.addBuffer(data, name);
  zip.end();
  const parts: Buffer[] = [];
  await pipeline(zip.outputStream, new Writable({ write: (part: Buffer, _, done) => (parts.push(part), done()) }));
  return Buffer.concat(parts);
}

/** The members of a zip archive, in order. */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  const members = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    members.set(entry.fileName, Buffer.concat(parts));
  }
  return members;
}
