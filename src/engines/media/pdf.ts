import { readFile, stat, writeFile } from 'node:fs/promises';
import { isNativeError } from 'node:util/types';
import type { PDFiumDocument, PDFiumPage } from '@hyzyla/pdfium';
import { type ImageLimits } from './image-source.js';
import { sharp } from './libvips.js';
import { MediaError, quoted } from './media-error.js';

/** A page of a document, counted from 0, and its image. */
export interface DocumentPage {
  readonly page: number;
  /** The file to write the image to. */
  readonly target: string;
}

/** A point is 1/72 inch: pages are rendered at 200 dpi. */
const PIXELS_PER_POINT = 200 / 72;
/**
 * The renderer has 2 GiB of memory and uses 4 bytes per pixel. A0 sheets fit at full resolution; larger ones are scaled
 * down.
 */
const MAX_PIXELS = 64_000_000;
/** Maximum side length of a JPEG. */
const MAX_PIXELS_OF_SIDE = 65_500;
/** The renderer holds the whole document in memory. */
const MAX_BYTES = 2 ** 29;
const QUALITY = 90;

/**
 * A document can list one page many times, in a few bytes each. These pixels are free; more of them need a document of the
 * size that distinct pages have.
 */
const FREE_PIXELS = 4_000_000_000;
const PIXELS_PER_BYTE = 20_000;

/**
 * A renderer caches everything it has read for earlier pages, so a long document is reloaded periodically. The number
 * of reloads is limited, because loading takes longer the more pages there are.
 */
const MAX_LOADS = 16;
const MIN_PAGES_TOGETHER = 64;

/** Options for long-running work. */
export interface JobProgress {
  /** Checked between pages; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

export interface PdfPageOptions {
  readonly limits: ImageLimits;
  /** Maximum total size of the files of all pages. */
  readonly maxBytes: number;
}

/**
 * Renders pages of a PDF document as JPEG.
 * @param pages may be empty to only count the pages
 * @returns the number of pages that the document declares
 * @throws MediaError that names the document, and the page if one cannot be rendered; the signal's reason
 */
export async function renderPdfPages(
  file: string,
  name: string,
  pages: readonly DocumentPage[],
  { limits, maxBytes }: PdfPageOptions,
  { signal, onProgress }: JobProgress = {},
): Promise<number> {
  const content = await readDocument(file, name);
  if (pages.length === 0) return withDocument(content, name, (document) => Promise.resolve(document.getPageCount()));
  const together = Math.max(MIN_PAGES_TOGETHER, Math.ceil(pages.length / MAX_LOADS));
  const pixels = pixelBudget(content, name);
  let [count, done, bytes] = [0, 0, 0];
  for (let at = 0; at < pages.length; at += together) {
    count = await withDocument(content, name, async (document) => {
      for (const { page, target } of pages.slice(at, at + together)) {
        signal?.throwIfAborted();
        const image = await render(document, name, page, { limits, pixels });
        bytes += image.length;
        if (bytes > maxBytes)
          throw new MediaError(`ValueError: The pages of ${quoted(name)} take more than ${maxBytes} bytes`);
        await writeFile(target, image);
        onProgress?.((done += 1) / pages.length);
      }
      return document.getPageCount();
    });
  }
  return count;
}

/**
 * Each document gets its own renderer: a renderer's memory never shrinks, and a document that corrupts it must not
 * affect the next one.
 */
async function withDocument<T>(
  content: Buffer,
  name: string,
  use: (document: PDFiumDocument) => Promise<T>,
): Promise<T> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(content).catch((error: unknown) => {
    throw brokenPdf(name, error);
  });
  try {
    return await use(document);
  } finally {
    document.destroy();
    library.destroy();
  }
}

/** @returns counts the pixels of a page @throws MediaError for more pixels than the document explains */
export function pixelBudget(content: Uint8Array, name: string): (pixels: number) => void {
  const most = Math.max(FREE_PIXELS, PIXELS_PER_BYTE * content.length);
  let sum = 0;
  return (pixels) => {
    if ((sum += pixels) <= most) return;
    throw new MediaError(
      `ValueError: The pages of ${quoted(name)} take more than ${most} pixels: split the document, or remove repeated pages`,
    );
  };
}

async function readDocument(file: string, name: string): Promise<Buffer> {
  if ((await stat(file)).size > MAX_BYTES)
    throw new MediaError(`ValueError: The document ${quoted(name)} has more than ${MAX_BYTES} bytes`);
  return readFile(file);
}

interface PageOptions {
  readonly limits: ImageLimits;
  readonly pixels: (pixels: number) => void;
}

async function render(
  document: PDFiumDocument,
  name: string,
  number: number,
  { limits, pixels }: PageOptions,
): Promise<Buffer> {
  try {
    const page = document.getPage(number);
    const size = sizeOf(page, limits);
    pixels(size.width * size.height);
    const { data, width, height } = await page.render({ ...size, scale: 1, render: 'bitmap' });
    return await sharp(data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch (cause) {
    if (cause instanceof MediaError) throw cause;
    throw new MediaError(`ValueError: Page ${number + 1} of the document ${quoted(name)} cannot be rendered`, {
      cause,
    });
  }
}

/** In pixels, rounded up like in other renderers; smaller for pages with too many pixels. */
function sizeOf(page: PDFiumPage, { maxPixels }: ImageLimits): { width: number; height: number } {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (originalWidth <= 0 || originalHeight <= 0) throw new RangeError('The page is not there');
  const full = originalWidth * originalHeight * PIXELS_PER_POINT ** 2;
  const longer = Math.max(originalWidth, originalHeight) * PIXELS_PER_POINT;
  const most = Math.min(MAX_PIXELS, maxPixels);
  const scale = PIXELS_PER_POINT * Math.min(1, Math.sqrt(most / full), MAX_PIXELS_OF_SIDE / longer);
  // PDFium uses 32-bit floats: the rounding error above an integer must not add a pixel.
  const round = scale === PIXELS_PER_POINT ? (length: number) => Math.ceil(length - 0.001) : Math.floor;
  return { width: Math.max(1, round(originalWidth * scale)), height: Math.max(1, round(originalHeight * scale)) };
}

function brokenPdf(name: string, cause: unknown): MediaError {
  const said = isNativeError(cause) ? cause.message : '';
  const what = /password|security/i.test(said)
    ? 'is encrypted, password required'
    : 'is not a PDF document, or a broken one';
  const text = `pdf2image.exceptions.PDFPageCountError: Unable to get page count. ${quoted(name)} ${what}`;
  return new MediaError(text, { cause });
}
