import { copyFile, mkdir, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { extractArchive } from '../../../engines/media/archive-tar.js';
import { extractZip } from '../../../engines/media/archive-zip.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { type FileMove, placeError } from '../../../engines/media/file-moves.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import type { ImageLimits } from '../../../engines/media/image-source.js';
import { missingFile } from '../../../engines/media/media-error.js';
import type { MediaSelection } from '../../../engines/media/media-selection.js';
import type { ImageWorker } from '../../../core/images/image-worker.js';
import type { MediaFolders } from '../media-files.js';
import { findPaged, renderPdf, splitExtracted, splitPaged } from './pages.js';

/** A file that a task may be created from, whatever its source. */
export interface SourceFile {
  /** Path within the task's data. */
  readonly name: string;
  /** Returns a path on this machine from which it can be read. @throws MediaError */
  onDisk(): Promise<string>;
  /**
   * Copies the file to `target`; can be repeated after an interruption. Files without this method were uploaded or
   * downloaded for this task alone and are moved instead. @throws MediaError
   */
  copyTo?(target: string): Promise<void>;
  /** For a remote file: reads the image size, downloading no more than necessary. @throws MediaError */
  info?(limits: ImageLimits): Promise<FrameSize>;
}

/** Where a task's images are stored. All images of a task are in one place. */
export type MediaStorage = 'local' | 'share' | 'cloud_storage';

/** All files of a task to be created, by name, in upload order. */
export interface Sources {
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Where the images are stored after creation. Only `local` moves or copies them. */
  readonly storage: MediaStorage;
  /** Moves the files uploaded or downloaded for this task into its data. @throws MediaError that names the file */
  readonly move: (files: readonly FileMove[]) => Promise<void>;
}

export interface SourceOptions {
  readonly folders: MediaFolders;
  readonly dataId: number;
  readonly archive: { readonly maxEntries: number; readonly maxBytes: number };
  readonly images: ImageWorker;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/** The images of a task and where they are stored now. */
export interface CopiedImages {
  /** In the order of upload or of the archive. */
  readonly paths: readonly string[];
  readonly storage: MediaStorage;
  /** For each multi-page file, the names of the images written for its pages. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
}

/** Files copied or downloaded concurrently. */
const FILES_AT_A_TIME = 16;
/** Moving this many takes a few milliseconds, less than the overhead of smaller batches. */
const MOVED_TOGETHER = 256;

/**
 * Copies, downloads or moves the images of a task into its data, under their names. Can be repeated after an
 * interruption.
 * @throws MediaError that names the file
 */
export async function fetchSources(
  selection: MediaSelection,
  sources: Sources,
  options: SourceOptions,
): Promise<CopiedImages> {
  switch (selection.kind) {
    case 'zip':
    case 'archive':
      return extracted(selection, sources, options);
    case 'pdf':
      return rendered(selection, sources, options);
    default:
      return copySelection(selection, sources, options);
  }
}

async function copySelection(
  { kind, files }: MediaSelection,
  sources: Sources,
  options: SourceOptions,
): Promise<CopiedImages> {
  const locate = (name: string): Promise<string> => onDisk(sources, name);
  const inCloud = sources.storage === 'cloud_storage';
  // Finding pages would require downloading the file. A file in a cloud storage contributes only its first page.
  const paged = kind === 'image' && !inCloud ? await findPaged(files, locate) : new Map<string, never>();
  // A video must be on disk; only images are read individually. Pages have to be written somewhere.
  const stays = inCloud ? kind === 'image' : sources.storage === 'share' && paged.size === 0;
  if (stays) return { paths: files, storage: sources.storage, pages: new Map() };
  const whole = files.filter((name) => !paged.has(name));
  await copyListedImages(whole, sources, options);
  return { paths: files, storage: 'local', pages: await splitPaged(paged, locate, options) };
}

async function extracted(
  { kind, files: [name = ''] }: MediaSelection,
  sources: Sources,
  options: SourceOptions,
): Promise<CopiedImages> {
  const { folders, dataId } = options;
  await rm(folders.raw(dataId), { recursive: true, force: true });
  const extract = kind === 'zip' ? extractZip : extractArchive;
  const paths = await extract(await onDisk(sources, name), folders.raw(dataId), {
    name,
    limits: { ...options.archive, maxRatio: 100, ratioFrom: 256 * 2 ** 20 },
    signal: options.signal,
    onProgress: options.onProgress,
  });
  return { paths, storage: 'local', pages: await splitExtracted(paths, options) };
}

async function rendered(
  { files: [name = ''] }: MediaSelection,
  sources: Sources,
  options: SourceOptions,
): Promise<CopiedImages> {
  await rm(options.folders.raw(options.dataId), { recursive: true, force: true });
  const paths = await renderPdf(name, await onDisk(sources, name), options);
  return { paths, storage: 'local', pages: new Map() };
}

/** @throws MediaError for a missing file */
export function fileOf({ files }: Sources, name: string): SourceFile {
  const file = files.get(name);
  if (file === undefined) throw missingFile(name);
  return file;
}

/** Returns the path at which a source file can be read. @throws MediaError */
export const onDisk = (sources: Sources, name: string): Promise<string> => fileOf(sources, name).onDisk();

/** Copies a file, sharing its blocks if the file system supports it. */
export const copyInto = (location: string, target: string): Promise<void> =>
  copyFile(location, target, constants.COPYFILE_FICLONE);

async function copyListedImages(names: readonly string[], sources: Sources, options: SourceOptions): Promise<void> {
  const files = names.map((name) => fileOf(sources, name));
  let done = 0;
  const counted = (count: number): void => options.onProgress((done += count) / names.length);
  const moved = files.filter((file) => file.copyTo === undefined);
  await moveImages(moved, sources.move, { ...options, counted });
  const copied = files.filter((file) => file.copyTo !== undefined);
  await copyImages(copied, { ...options, counted });
}

type CopyOptions = Pick<SourceOptions, 'folders' | 'dataId' | 'signal'> & { readonly counted: (files: number) => void };

async function moveImages(
  files: readonly SourceFile[],
  move: Sources['move'],
  { folders, dataId, signal, counted }: CopyOptions,
): Promise<void> {
  for (let at = 0; at < files.length; at += MOVED_TOGETHER) {
    signal.throwIfAborted();
    const group = files.slice(at, at + MOVED_TOGETHER).map(async (file): Promise<FileMove> => {
      return { name: file.name, file: await file.onDisk(), target: folders.raw(dataId, file.name) };
    });
    await move(await Promise.all(group));
    counted(group.length);
  }
}

async function copyImages(
  files: readonly SourceFile[],
  { folders, dataId, signal, counted }: CopyOptions,
): Promise<void> {
  const made = new Map<string, Promise<unknown>>();
  const makeFolder = (path: string): Promise<unknown> => {
    const making = made.get(path) ?? mkdir(path, { recursive: true });
    made.set(path, making);
    return making;
  };
  await mapBounded(files, FILES_AT_A_TIME, async (file) => {
    signal.throwIfAborted();
    const target = folders.raw(dataId, file.name);
    try {
      await makeFolder(dirname(target));
      await file.copyTo?.(target);
    } catch (error) {
      throw placeError(error, file.name);
    }
    counted(1);
  });
}
