export interface Reading {
  /** Position of the current frame. */
  readonly position: number;
  /** 1 forward, -1 backward. */
  readonly direction: 1 | -1;
  /** Frames that are played per second; 0: not playing. */
  readonly playedRate: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
}

/** During playback, the chunks of the next two seconds are prefetched, within limits. */
const SECONDS_AHEAD = 2;
const MIN_AHEAD = 2;
const MAX_AHEAD = 8;

/**
 * Chunks to load, the most urgent first: the current one, the next one after half of the current one, and more during
 * playback.
 */
export function wantedChunks({ position, direction, playedRate, chunkSize, chunkCount }: Reading): number[] {
  const current = Math.floor(position / chunkSize);
  const at = position % chunkSize;
  const behind = direction === 1 ? at : chunkSize - 1 - at;
  const isNear = behind + 1 >= chunkSize / 2;
  const inTime = Math.ceil((SECONDS_AHEAD * playedRate) / chunkSize);
  const ahead = playedRate > 0 ? Math.min(Math.max(inTime, MIN_AHEAD), MAX_AHEAD) : Number(isNear);
  return Array.from({ length: ahead + 1 }, (_, distance) => current + distance * direction).filter(
    (chunk) => chunk >= 0 && chunk < chunkCount,
  );
}

/** Frames to decode in advance: the next one. During playback, its clock decides. */
export function wantedImages({ position, direction, playedRate }: Reading, count: number): number[] {
  const next = position + direction;
  return playedRate === 0 && next >= 0 && next < count ? [next] : [];
}
