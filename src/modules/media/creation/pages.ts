import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { type ArchiveLimits, imageArchiveLimits } from '../../../engines/media/archive-folder.js';
import { isContextImage } from '../../../engines/media/context-images.js';
import { pdfPageNames, tiffPageNames } from '../../../engines/media/document-pages.js';
import type { ImageOnDisk, PagesJob } from '../../../engines/media/image-job.js';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import { isTiff } from '../../../shared/media-kind.js';
import type { DocumentPage } from '../../../engines/media/pdf.js';
import { temporaryPath } from '../../../engines/media/temporary.js';
import { tiffPages } from '../../../engines/media/tiff.js';
import type { SourceOptions } from './source-files.js';

const FILES_AT_A_TIME = 8;

/** A PDF can list one page many times, in a few bytes each; distinct pages have at least so many. */
const BYTES_PER_PAGE = 64;
const FREE_PAGES = 1_000;

/** Multi-page TIFF files by name, with their page numbers. */
export type PagedFiles = ReadonlyMap<string, readonly number[]>;

/**
 * Renders every page of a PDF into the folder of the task's images.
 * @param file path of the PDF
 * @returns the names of the images
 * @throws MediaError that names the document
 */
export async function renderPdf(name: string, file: string, options: SourceOptions): Promise<string[]> {
  const { images, archive, signal, onProgress } = options;
  const document = jobOf('pdf', { name, file }, options);
  const count = await images.run({ ...document, pages: [] }, { signal });
  if (count < 1 || count > archive.maxEntries) {
    const what = count < 1 ? 'no pages' : `more than ${archive.maxEntries} pages`;
    throw new MediaError(`ValueError: The document ${quoted(name)} has ${what}`);
  }
  const { size } = await stat(file);
  if (count > Math.max(FREE_PAGES, size / BYTES_PER_PAGE)) {
    const what = `lists ${count} pages in ${size} bytes: split it, or remove repeated pages`;
    throw new MediaError(`ValueError: The document ${quoted(name)} ${what}`);
  }
  const names = pdfPageNames(name, count);
  const pages = names.map((target, page) => ({ page, target: options.folders.raw(options.dataId, target) }));
  await makeFolderOf(pages);
  await images.run({ ...document, pages }, { signal, onProgress });
  return names;
}

/**
 * Finds the multi-page TIFF files among the images. Reads only their directories.
 * @param locate returns the path of a file
 * @throws MediaError for a file with broken directories
 */
export async function findPaged(
  names: readonly string[],
  locate: (name: string) => Promise<string>,
): Promise<PagedFiles> {
  const candidates = names.filter((name) => isTiff(name) && !isContextImage(name));
  const found = await mapBounded(
    candidates,
    FILES_AT_A_TIME,
    async (name) => [name, await tiffPages(await locate(name), name)] as const,
  );
  return new Map(found.filter(([, pages]) => pages.length > 1));
}

/**
 * Writes every page of TIFF files into the folder of the task's images. Keeps the files.
 * @returns the names of the pages of each file
 * @throws MediaError that names the file
 */
export async function splitPaged(
  paged: PagedFiles,
  locate: (name: string) => Promise<string>,
  options: SourceOptions,
): Promise<Map<string, readonly string[]>> {
  const { images, archive, signal, onProgress } = options;
  const all = new Map<string, readonly string[]>();
  let total = 0;
  for (const [name, numbers] of paged) {
    total += numbers.length;
    if (total > archive.maxEntries)
      throw new MediaError(
        `ValueError: ${quoted(name)} and the files before it have more than ${archive.maxEntries} pages`,
      );
    const names = tiffPageNames(name, numbers.length);
    const targets = names.map((target) => options.folders.raw(options.dataId, target));
    const pages = targets.map((target, at) => ({ page: numbers[at] ?? 0, target }));
    const file = await locate(name);
    const job = { ...jobOf('tiff', { name, file }, options), pages, maxBytes: await mostBytes(file, archive) };
    await makeFolderOf(pages);
    await mkdir(dirname(job.scratch), { recursive: true });
    try {
      await images.run(job, { signal, onProgress });
    } finally {
      await rm(job.scratch, { force: true });
    }
    all.set(name, names);
  }
  return all;
}

/** Like {@link splitPaged}, for files extracted from an archive: removes each file once its pages are written. */
export async function splitExtracted(
  paths: readonly string[],
  options: SourceOptions,
): Promise<Map<string, readonly string[]>> {
  const locate = (name: string): Promise<string> => Promise.resolve(options.folders.raw(options.dataId, name));
  const paged = await findPaged(paths, locate);
  const pages = await splitPaged(paged, locate, options);
  for (const name of paged.keys()) await rm(await locate(name));
  return pages;
}

/** Directories of a TIFF can share their pixels, so its pages are limited like the files of an archive. */
async function mostBytes(file: string, { maxBytes }: Pick<ArchiveLimits, 'maxBytes'>): Promise<number> {
  const { maxRatio, ratioFrom } = imageArchiveLimits;
  const { size } = await stat(file);
  return Math.min(maxBytes, Math.max(ratioFrom, maxRatio * size));
}

function jobOf<Kind extends PagesJob['kind']>(
  kind: Kind,
  document: ImageOnDisk,
  { images, archive, folders, dataId }: SourceOptions,
): Omit<PagesJob<Kind>, 'pages'> {
  const scratch = temporaryPath(folders.incoming(dataId));
  return { kind, document, limits: images.limits, maxBytes: archive.maxBytes, scratch };
}

async function makeFolderOf([first]: readonly DocumentPage[]): Promise<void> {
  if (first !== undefined) await mkdir(dirname(first.target), { recursive: true });
}
