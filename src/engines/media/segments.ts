import { quoted, validationFailure } from './media-error.js';

/** Task frames start … stop, inclusive. */
export interface FrameRange {
  start: number;
  stop: number;
}

export interface SegmentPlan {
  /** The resulting task.segment_size and task.overlap. */
  segmentSize: number;
  overlap: number;
  /** One annotation job per segment, in order. */
  segments: FrameRange[];
}

export interface SegmentRequest {
  /** Number of task frames, at least 1. */
  size: number;
  /** 0, absent or larger than the size: one segment. */
  segmentSize?: number | null;
  overlap?: number | null;
  mode: 'annotation' | 'interpolation';
}

/**
 * Divides a task into segments. s = segment_size, or size if that is 0 or larger; o = min(overlap ?? (5 for
 * interpolation, else 0), ⌊s/2⌋); starts 0, s−o, 2(s−o), … while start < size − o; stop = min(start + s − 1, size − 1).
 */
export function planSegments({ size, segmentSize, overlap, mode }: SegmentRequest): SegmentPlan {
  const length = segmentSize && segmentSize <= size ? segmentSize : size;
  const wanted = overlap ?? (mode === 'interpolation' ? 5 : 0);
  const shared = Math.min(wanted, Math.floor(length / 2));
  const segments: FrameRange[] = [];
  for (let start = 0; start < size - shared; start += length - shared) {
    segments.push({ start, stop: Math.min(start + length - 1, size - 1) });
  }
  return { segmentSize: length, overlap: shared, segments };
}

export interface MappedFiles extends SegmentPlan {
  /** The task's files in frame order. */
  files: string[];
}

/**
 * Divides a task by its `job_file_mapping`: one segment per inner list, in order. Files that are not listed are
 * omitted. segment_size and overlap become 0.
 * @param mapping non-empty lists without repeated names
 * @throws MediaError for a name that was not uploaded
 */
export function planMappedSegments(mapping: readonly (readonly string[])[], available: readonly string[]): MappedFiles {
  const known = new Set(available);
  const files = mapping.flat();
  const unknown = files.find((file) => !known.has(file));
  if (unknown !== undefined) throw validationFailure(`Can't find file ${quoted(unknown)} in the input files`);
  const segments: FrameRange[] = [];
  let start = 0;
  for (const list of mapping) {
    segments.push({ start, stop: start + list.length - 1 });
    start += list.length;
  }
  return { segmentSize: 0, overlap: 0, segments, files };
}
