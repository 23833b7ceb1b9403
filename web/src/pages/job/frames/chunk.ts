import { unzipSync } from 'fflate';

const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  bmp: 'image/bmp',
  webp: 'image/webp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
};

/**
 * Unpacks a chunk: a zip of images named `000000.jpeg`, `000001.png` … in the order of their frames.
 * @throws Error if it is not a zip of numbered images
 */
export function readChunk(archive: Uint8Array): Blob[] {
  const images: Blob[] = [];
  for (const [name, content] of Object.entries(unzipSync(archive))) {
    const [, number, extension = ''] = /^(\d{6})\.(\w+)$/.exec(name) ?? [];
    if (number === undefined) throw new Error(`The chunk has an unexpected file "${name}".`);
    const type = TYPES[extension.toLowerCase()] ?? 'application/octet-stream';
    images[Number(number)] = new Blob([content], { type });
  }
  return images;
}

export interface NamedImage {
  readonly name: string;
  readonly image: Blob;
}

/** Unpacks context images, a zip of JPEGs. A single one has no name but its extension. */
export const readContext = (archive: Uint8Array): NamedImage[] =>
  Object.entries(unzipSync(archive)).map(([name, content]) => ({
    name: name.replace(/^\.?\/?/, '').replace(/\.jpg$/, '') || 'context image',
    image: new Blob([content], { type: 'image/jpeg' }),
  }));
