import { posix } from 'node:path';
import type { FramesAndContext } from './context-images.js';
import { safeMediaPath } from './file-name.js';
import { MediaError, quoted } from './media-error.js';

/** Names of the images created from the pages of a PDF: `doc000000000.jpeg-1.jpg`, … for `doc.pdf`. */
export const pdfPageNames = (name: string, count: number): string[] =>
  numbered(`${name.slice(0, name.length - posix.extname(name).length)}000000000.jpeg`, count, '.jpg');

/** Names of the images created from the pages of a TIFF: `scan.tif-1.tif`, … for `scan.tif`. */
export const tiffPageNames = (name: string, count: number): string[] => numbered(name, count, posix.extname(name));

/** Page numbers are zero-padded, so that sorting by name keeps the page order. */
function numbered(stem: string, count: number, extension: string): string[] {
  const digits = String(count).length;
  return Array.from({ length: count }, (_, page) =>
    safeMediaPath(`${stem}-${String(page + 1).padStart(digits, '0')}${extension}`),
  );
}

/**
 * Replaces multi-page files with their pages. Each page has the context images of its file.
 * @param pages the names of the pages of multi-page files
 * @throws MediaError for a page with the name of another file
 */
export function withPages(
  { frames, related }: FramesAndContext,
  pages: ReadonlyMap<string, readonly string[]>,
): FramesAndContext {
  if (pages.size === 0) return { frames, related };
  const all = inPages(frames, pages);
  const seen = new Set<string>();
  for (const name of all) {
    if (seen.has(name)) throw new MediaError(`ValueError: There are two files with the name ${quoted(name)}`);
    seen.add(name);
  }
  const entries = [...related].flatMap(([frame, images]) =>
    inPages([frame], pages).map((page) => [page, images] as const),
  );
  return { frames: all, related: new Map(entries) };
}

/** Replaces the names of multi-page files with those of their pages. */
export const inPages = (names: readonly string[], pages: ReadonlyMap<string, readonly string[]>): string[] =>
  names.flatMap((name) => pages.get(name) ?? [name]);
