import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';
import { mapBounded } from '../concurrency/concurrency.js';
import { encodeCompressedFrame, originalFrame, originalJpeg, placeholderFrame } from './image-encode.js';
import type { Requantise } from './jpeg/requantise.js';
import { defaultImageLimits, naming, type ImageLimits } from './image-source.js';
import { errorCode, MediaError } from './media-error.js';
import { isPointCloud } from '../../shared/media-kind.js';
import { asPcd } from './point-cloud.js';
import { storedZip, type ZipMember } from './stored-zip.js';

/** An image to add to a chunk; null stands for a frame outside the job and becomes a black 1×1 JPEG. */
export type ChunkFrame = FrameSource | null;

export interface FrameSource {
  /** The client's name for the file: for errors, and for the extension in original chunks. */
  name: string;
  read(): Promise<Buffer>;
  /** Path of the frame as encoded for compressed chunks, if it was encoded before. The file may no longer exist. */
  ready?: string;
}

export interface ChunkOptions {
  quality: 'compressed' | 'original';
  /**
   * Converts original frames that are not JPEGs to JPEG at the best quality, so that every member is a JPEG, as
   * placeholders are.
   */
  jpegOnly?: boolean;
  /** JPEG quality of compressed frames, 0 to 100. */
  imageQuality: number;
  limits?: ImageLimits;
  /** Maximum number of images in memory. */
  concurrency?: number;
  maxBytes?: number;
}

/** Tools for creating frames that cannot be sent to another process. */
export interface FrameTools {
  readonly requantise?: Requantise;
}

const defaultMaxBytes = 500 * 2 ** 20;

/**
 * Builds a chunk of images: a zip of stored members `000000.jpeg`, `000001.jpeg`, … numbered within the chunk. Original
 * frames keep their extension as written, unless all are converted to JPEG. Point clouds are PCD files in all chunks.
 * @throws MediaError that names the broken image, or for a chunk of more than maxBytes
 */
export async function buildImageChunk(
  frames: readonly ChunkFrame[],
  options: ChunkOptions,
  tools: FrameTools = {},
): Promise<Buffer> {
  const { concurrency = 2 * availableParallelism(), maxBytes = defaultMaxBytes } = options;
  let total = 0;
  const members = await mapBounded(frames, concurrency, async (frame, at): Promise<ZipMember> => {
    const data = await makeFrame(frame, options, tools);
    total += data.length;
    if (total > maxBytes) throw new MediaError(`The chunk is larger than ${maxBytes} bytes`);
    return { name: memberName(frame, at, options), data };
  });
  return storedZip(members);
}

/**
 * Creates a frame for a chunk: reads it if it was encoded before, else encodes it. @throws MediaError that names a
 * broken image
 */
export async function makeFrame(frame: ChunkFrame, options: ChunkOptions, tools: FrameTools = {}): Promise<Buffer> {
  return (await readyFrame(frame)) ?? encodeFrame(frame, options, tools);
}

async function readyFrame(frame: ChunkFrame): Promise<Buffer | undefined> {
  if (frame?.ready === undefined) return undefined;
  try {
    return await readFile(frame.ready);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

async function encodeFrame(frame: ChunkFrame, options: ChunkOptions, tools: FrameTools = {}): Promise<Buffer> {
  if (frame === null) return placeholderFrame();
  const { quality, imageQuality, jpegOnly = false, limits = defaultImageLimits } = options;
  const file = await naming(frame.name, () => frame.read());
  if (isPointCloud(frame.name)) return asPcd(file, frame.name);
  if (quality === 'original' && jpegOnly) return originalJpeg(file, frame.name, limits);
  if (quality === 'original') return originalFrame(file, frame.name, limits);
  return encodeCompressedFrame(file, frame.name, { quality: imageQuality, limits, ...tools });
}

function memberName(frame: ChunkFrame, at: number, { quality, jpegOnly = false }: ChunkOptions): string {
  const number = String(at).padStart(6, '0');
  if (frame === null || jpegOnly) return `${number}.jpeg`;
  if (isPointCloud(frame.name)) return `${number}.pcd`;
  return number + (quality === 'original' ? posix.extname(frame.name) : '.jpeg');
}
