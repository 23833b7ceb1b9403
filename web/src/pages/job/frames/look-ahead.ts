export interface Reading {
  /** Position of the frame that is shown. */
  readonly position: number;
  /** 1 towards the end, -1 towards the beginning. */
  readonly direction: 1 | -1;
  readonly isPlaying: boolean;
  readonly chunkSize: number;
  readonly chunkCount: number;
}

/** Chunks ahead while frames are played. */
const AHEAD_PLAYING = 2;

/**
 * Which chunks should be there, the most urgent first: the one that is looked at; the one after it once half of it is
 * behind, or at once while playing; and while playing one more.
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

/** Frames whose pictures should be ready, besides the one that is shown: those that come next. */
export function wantedPictures({ position, direction, isPlaying }: Reading, count: number): number[] {
  return Array.from({ length: isPlaying ? 3 : 1 }, (_, distance) => position + (distance + 1) * direction).filter(
    (next) => next >= 0 && next < count,
  );
}
