import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { replaceFile } from '../files/replace-file.js';
import { MediaError, quoted, storageError } from './media-error.js';
import { keyframesOf, type VideoIndex } from './video/video-index.js';

/** One image in a `manifest.jsonl`. */
export interface ManifestImage {
  /** Path within the data, including the extension. */
  path: string;
  /** Pixels, after the EXIF orientation; absent for point clouds. */
  width?: number;
  height?: number;
  /** Paths of its context images. */
  related?: readonly string[];
}

type ManifestType = 'images' | 'video';

const manifestVersion = '1.1';
const longestLine = 2 ** 20;
const flushAt = 2 ** 16;

/**
 * Writes a manifest of images in CVAT's format: a version line, a type line, then one line per image in frame order.
 * The file gets its final name when it is complete.
 * @returns the byte offset of each image's line (which CVAT stores in `index.json`)
 */
export function writeImageManifest(
  path: string,
  images: Iterable<ManifestImage> | AsyncIterable<ManifestImage>,
): Promise<number[]> {
  return writeManifest(path, 'images', images, toLine);
}

/**
 * Writes a manifest of a video: version, type and properties, then one line per keyframe. CVAT's lines also contain a
 * checksum of the frame's pixels, which depends on the program that converts the colours.
 */
export async function writeVideoManifest(
  path: string,
  video: { readonly name: string; readonly index: VideoIndex },
): Promise<void> {
  const { name, index } = video;
  const properties = { name, resolution: [index.width, index.height], length: index.pts.length };
  await writeManifest<object>(path, 'video', [{ properties }, ...keyframesOf(index)], (line) => line);
}

async function writeManifest<T>(
  path: string,
  type: ManifestType,
  items: Iterable<T> | AsyncIterable<T>,
  format: (item: T) => object,
): Promise<number[]> {
  try {
    return await replaceFile(path, (part) => writeLines(part, type, items, format));
  } catch (error) {
    throw storageError(error);
  }
}

async function writeLines<T>(
  path: string,
  type: ManifestType,
  items: Iterable<T> | AsyncIterable<T>,
  format: (item: T) => object,
): Promise<number[]> {
  const file = await open(path, 'w');
  try {
    let pending = `${JSON.stringify({ version: manifestVersion })}\n${JSON.stringify({ type })}\n`;
    let written = Buffer.byteLength(pending);
    const offsets: number[] = [];
    for await (const item of items) {
      const line = `${JSON.stringify(format(item))}\n`;
      offsets.push(written);
      written += Buffer.byteLength(line);
      pending += line;
      if (pending.length < flushAt) continue;
      await file.appendFile(pending);
      pending = '';
    }
    await file.appendFile(pending);
    return offsets;
  } finally {
    await file.close();
  }
}

function toLine({ path, width, height, related = [] }: ManifestImage) {
  const extension = posix.extname(path);
  const name = path.slice(0, path.length - extension.length);
  const size = width === undefined ? {} : { width, height };
  return { name, extension, ...size, meta: { related_images: related } };
}

/**
 * Yields the images of a manifest one by one, whatever its length.
 * @param path of the manifest
 * @param name the client's name for it, for errors
 * @throws MediaError that names the manifest and the line
 */
export async function* readImageManifest(path: string, name: string): AsyncGenerator<ManifestImage> {
  for await (const { line, fields } of readManifest(path, name, 'images')) yield fromLine(fields, name, line);
}

/**
 * Yields the lines of a manifest after version and type one by one, whatever its length.
 * @throws MediaError that names the manifest and the line
 */
export async function* readManifest(
  path: string,
  name: string,
  type: ManifestType,
): AsyncGenerator<{ readonly line: number; readonly fields: Fields }> {
  let number = 0;
  let headers = 0;
  for await (const line of lines(path, name)) {
    number++;
    if (line.trim() === '') continue;
    const fields = parseLine(line, name, number);
    if (headers === 0) requireField(fields, 'version', ['1.0', '1.1'], name, number);
    else if (headers === 1) requireField(fields, 'type', [type], name, number);
    else yield { line: number, fields };
    if (headers < 2) headers++;
  }
  if (headers < 2) throw brokenManifest(name, number, 'the lines of version and type are missing');
}

async function* lines(path: string, name: string): AsyncGenerator<string> {
  let rest = '';
  let number = 0;
  const stream: AsyncIterable<string> = createReadStream(path, 'utf8');
  let isStart = true;
  for await (const text of stream) {
    const parts = (rest + (isStart ? text.replace(/^\ufeff/, '') : text)).split('\n');
    isStart = false;
    rest = parts.pop() ?? '';
    number += parts.length;
    if (rest.length > longestLine) throw brokenManifest(name, number + 1, 'the line is too long');
    yield* parts;
  }
  yield rest;
}

type Fields = Record<string, unknown>;

function parseLine(line: string, name: string, number: number): Fields {
  try {
    const parsed: unknown = JSON.parse(line);
    if (isFields(parsed)) return parsed;
  } catch {
    // Reported below: the parser's message would repeat the line.
  }
  throw brokenManifest(name, number, 'no JSON object');
}

function requireField(fields: Fields, key: string, values: readonly string[], name: string, number: number): void {
  const value = fields[key];
  if (typeof value === 'string' && values.includes(value)) return;
  throw brokenManifest(name, number, `${quoted(key)} must be ${values.map(quoted).join(' or ')}`);
}

function fromLine(fields: Fields, name: string, number: number): ManifestImage {
  const { name: stem, extension, width, height, meta } = fields;
  if (typeof stem !== 'string' || typeof extension !== 'string' || stem === '') {
    throw brokenManifest(name, number, "'name' and 'extension' must be texts");
  }
  const related = isFields(meta) ? meta['related_images'] : undefined;
  const image: ManifestImage = { path: stem + extension, related: isTexts(related) ? related : [] };
  if (width === undefined && height === undefined) return image;
  if (!isPixels(width) || !isPixels(height)) {
    throw brokenManifest(name, number, "'width' and 'height' must be positive whole numbers");
  }
  return { ...image, width, height };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPixels(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function brokenManifest(name: string, line: number, what: string): MediaError {
  return new MediaError(`InvalidManifestError: ${quoted(name)}, line ${line}: ${what}`);
}

/**
 * Compares a manifest that was uploaded with a video to the video.
 * @param path of the manifest
 * @param manifest the client's name for it
 * @throws MediaError that names the manifest and the difference
 */
export async function requireVideoManifest(
  path: string,
  manifest: string,
  { name, index }: { readonly name: string; readonly index: VideoIndex },
): Promise<void> {
  const wrong = (line: number, what: string): MediaError =>
    new MediaError(`InvalidManifestError: ${quoted(manifest)}, line ${line}: ${what}`);
  let described = false;
  for await (const { line, fields } of readManifest(path, manifest, 'video')) {
    const { properties, number, pts } = fields;
    if (properties !== undefined) {
      const { resolution, length } = properties as { resolution?: unknown; length?: unknown };
      const [width, height] = Array.isArray(resolution) ? (resolution as unknown[]) : [];
      if (width !== index.width || height !== index.height)
        throw wrong(line, `the frames of ${quoted(name)} are of ${index.width}x${index.height} pixels`);
      if (length !== index.pts.length) throw wrong(line, `${quoted(name)} has ${index.pts.length} frames`);
      described = true;
    } else if (typeof number !== 'number' || typeof pts !== 'number') {
      throw wrong(line, "'number' and 'pts' must be numbers");
    } else if (index.seekable && index.pts[number] !== pts) {
      throw wrong(line, `frame ${number} of ${quoted(name)} has another time stamp`);
    }
  }
  if (!described) throw wrong(3, "the line with 'properties' is missing");
}
