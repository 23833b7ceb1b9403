export interface Reading {
  /** Position of the current frame. */
  readonly position: number;
  /** 1 forward, -1 backward. */
  readonly direction: 1 | -1;
  readonly isPlaying: boolean;
  readonly chunkSize: number;
  readonly chunkCount: number;
}

/** Chunks to prefetch during playback. */
const AHEAD_PLAYING = 2;

/**
 * Chunks to load, the most urgent first: the current one, the next one after half of the current one or during playback,
 * and one more during playback.
 */
export function wantedChunks({ position, direction, isPlaying, chunkSize, chunkCount }: Reading): number[] {
  const current = Math.floor(position / chunkSize);
  const at = position % chunkSize;
  const behind = direction === 1 ? at : chunkSize - 1 - at;
  const isNear = behind + 1 >= chunkSize / 2;
  const ahead = isPlaying ? AHEAD_PLAYING : Number(isNear);
  return Array.from({ length: ahead + 1 }, (_, distance) => current + distance * direction).filter(
    (chunk) => chunk >= 0 && chunk < chunkCount,
  );
}

/** Frames to decode in advance: those after the current one. */
export function wantedImages({ position, direction, isPlaying }: Reading, count: number): number[] {
  return Array.from({ length: isPlaying ? 3 : 1 }, (_, distance) => position + (distance + 1) * direction).filter(
    (next) => next >= 0 && next < count,
  );
}
