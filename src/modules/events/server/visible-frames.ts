/** A keyframe of a track. */
export interface Keyframe {
  readonly id: number;
  readonly frame: number;
  readonly outside: boolean;
}

/**
 * The number of frames on which a track is visible: its keyframes that are not outside, and the frames from each of them
 * to the next keyframe, or to the end of the job.
 * @param keyframes by ascending frame
 * @param last the last frame of the job
 */
export function visibleFrames(keyframes: readonly Keyframe[], last: number): number {
  return keyframes.reduce((sum, { frame, outside }, index) => {
    const end = keyframes[index + 1]?.frame ?? Math.max(last, frame) + 1;
    return sum + (outside ? 0 : end - frame);
  }, 0);
}
