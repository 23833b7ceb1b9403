import type { FrameSet } from '../frames/frame-set';

/**
 * The next frame to draw on. Deleted frames are skipped.
 * @param isTaken whether a frame is skipped for another reason
 * @returns undefined after the last one
 */
export function nextEmpty(
  frames: Pick<FrameSet, 'numbers' | 'position' | 'isDeleted'>,
  frame: number,
  isTaken: (frame: number) => boolean,
): number | undefined {
  const { numbers } = frames;
  for (let position = frames.position(frame) + 1; position < numbers.length; position += 1) {
    const next = numbers[position];
    if (next !== undefined && !frames.isDeleted(next) && !isTaken(next)) return next;
  }
  return undefined;
}
