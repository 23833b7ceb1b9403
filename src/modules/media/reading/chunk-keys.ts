import { createHash } from 'node:crypto';
import type { ChunkSlot } from '../../../engines/media/chunks.js';
import type { ChunkType, MediaSource } from './media-source.repository.js';

export type Quality = 'compressed' | 'original';

/** The type of a task's or job's chunks. A job with selected frames has archives of JPEGs, even for a video. */
export function chunkTypeOf(source: MediaSource, quality: Quality): ChunkType {
  if (isSelection(source)) return 'imageset';
  return quality === 'compressed' ? source.compressedType : source.originalType;
}

/** The media type of a chunk. */
export const chunkMimeType = (source: MediaSource, quality: Quality): string =>
  chunkTypeOf(source, quality) === 'video' ? 'video/mp4' : 'application/zip';

/** Whether this is a job with only some frames of its range. */
export const isSelection = ({ segment }: MediaSource): boolean => segment !== null && segment.included !== null;

/** Whether this is a video task. Its only frame row is the video. */
export const isVideo = ({ originalType }: MediaSource): boolean => originalType === 'video';

/** The cache key of a chunk. Jobs with selected frames have chunks of their own, separate from the task's. */
export const ownKeyOf = (source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): string =>
  keyOf(source, slots, quality) + (isSelection(source) ? '-jpegs' : '');

/** The cache key of a compressed frame whose chunk is not built yet. */
export const frameKeyOf = (source: MediaSource, number: number): string =>
  `${source.dataId}/frame/${stateOf(source)}-${number}`;

/** The cache key of the thumbnail of a frame. */
export const previewKeyOf = (source: MediaSource, frame: number): string =>
  `${source.dataId}/preview/${stateOf(source)}-${frame}`;

/** Tasks and jobs share chunks that have the same frames. */
export function keyOf(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): string {
  const first = slots[0] ?? 0;
  const isRun = slots.every((slot, index) => slot === first + index);
  const name = isRun ? `${first}-${slots.length}` : createHash('sha256').update(JSON.stringify(slots)).digest('hex');
  return `${source.dataId}/${quality}/${stateOf(source)}-${name}`;
}

/** Part of the key, because frames show other images after honeypots change. Outdated entries expire in the cache. */
const stateOf = (source: MediaSource): string =>
  isVideo(source) ? 'video' : Date.parse(source.chunksDate ?? '').toString(36);
