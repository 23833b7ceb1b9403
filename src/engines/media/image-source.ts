import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isNativeError } from 'node:util/types';
import { firstPage } from './first-page.js';
import { withEndMarker } from './jpeg/end-marker.js';
import type { ReadPart } from './jpeg/header.js';
import { sharp, type Sharp } from './libvips.js';
import {
  brokenImage,
  errorCode,
  MediaError,
  MediaStorageFull,
  MediaStorageUnavailable,
  missingFile,
  quoted,
  unreadableImage,
} from './media-error.js';
import { bmp, pnm, type RasterFormat } from './raster.js';

export interface ImageLimits {
  /** Maximum width × height of an image to decode. */
  maxPixels: number;
}

export const defaultImageLimits: ImageLimits = { maxPixels: 250_000_000 };

/**
 * Formats decoded in JavaScript on the calling thread. Their size is limited so that decoding takes less than a second.
 */
const ownFormats: readonly RasterFormat[] = [bmp, pnm];
const ownFormatPixels = 50_000_000;

/** Enough for the header of every format that libvips does not read. */
export const sniffedBytes = 4096;

/** A file of which only parts are read. */
export interface FileParts {
  readonly size: number;
  readonly read: ReadPart;
}

/**
 * Reads parts of a file synchronously. Dispatching the reads to another thread takes ten times as long, and a process
 * that probes thousands of images has nothing else to do.
 */
export function withParts<T>(path: string, use: (file: FileParts) => T): T {
  const file = openSync(path, 'r');
  try {
    const read: ReadPart = (position, length) => {
      const part = Buffer.allocUnsafe(length);
      return part.subarray(0, readSync(file, part, 0, length, position));
    };
    return use({ size: fstatSync(file).size, read });
  } finally {
    closeSync(file);
  }
}

/** The format with a decoder in this project, or undefined for formats left to libvips. */
export function ownFormatOf(head: Buffer): RasterFormat | undefined {
  return ownFormats.find((format) => format.matches(head));
}

/** Width and height of an image in one of these formats, within the limits. */
export function ownFormatSize(format: RasterFormat, head: Buffer, name: string, limits: ImageLimits) {
  const size = format.readSize(head);
  if (size.width * size.height > Math.min(limits.maxPixels, ownFormatPixels)) throw tooManyPixels(name);
  return size;
}

/**
 * A libvips pipeline for an image, rotated upright by its EXIF orientation. Decodes nothing yet; decoder errors surface
 * in the pipeline and are converted by {@link imageError}.
 */
export function openImage(file: Buffer, name: string, limits: ImageLimits): Sharp {
  const format = ownFormatOf(file);
  if (format) {
    ownFormatSize(format, file, name, limits);
    const { data, ...raw } = format.decode(file);
    return sharp(data, { raw });
  }
  const complete = withEndMarker(file);
  return sharp(firstPage(complete), { ...readOptions(limits), ...strictIf(complete !== file), autoOrient: true });
}

/** Truncated pixels are an error; decoder warnings are not. Pages after the first are never read. */
export function readOptions(limits: ImageLimits) {
  return { limitInputPixels: limits.maxPixels, failOn: 'error', sequentialRead: true } as const;
}

/** With an end marker that was added, missing pixels are only a warning. */
export const strictIf = (isCompleted: boolean): { readonly failOn?: 'warning' } =>
  isCompleted ? { failOn: 'warning' } : {};

/** Runs work on one image and converts decoder errors to an error that names the file. */
export async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw imageError(error, name);
  }
}

function imageError(error: unknown, name: string): unknown {
  if (error instanceof MediaError || !isNativeError(error)) return error;
  if (error instanceof MediaStorageUnavailable || error instanceof MediaStorageFull) return error;
  if (errorCode(error) === 'ENOENT') return missingFile(name, error);
  // Other file system errors (permissions, too many open files) do not mean that the image is broken.
  if ('syscall' in error) return error;
  if (error.message.includes('too large for the')) {
    return new MediaError(`OSError: image file ${quoted(name)} is larger than its chunk format allows`, {
      cause: error,
    });
  }
  if (error.message.includes('exceeds pixel limit')) return tooManyPixels(name);
  return isUnknownFormat(error) ? brokenImage(name, error) : unreadableImage(name, error);
}

/** Whether sharp found no format that a file may have. */
export const isUnknownFormat = (error: unknown): boolean =>
  isNativeError(error) && /unsupported image format|is empty|too small/i.test(error.message);

export function tooManyPixels(name: string): MediaError {
  return new MediaError(`PIL.Image.DecompressionBombError: image file ${quoted(name)} has too many pixels`);
}
