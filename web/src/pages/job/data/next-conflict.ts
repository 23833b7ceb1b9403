import type { QualityConflict } from '../../../app/api';
import type { Review } from './review';

/**
 * The conflict after or before the open one. If none is open on the frame, the first one on it, or the nearest after or before
 * it. The first one follows the last one.
 * @param conflicts in the order of their frames
 * @returns undefined if there are none
 */
export function conflictFrom(
  conflicts: readonly QualityConflict[],
  { frame, conflict: open }: Pick<Review, 'frame' | 'conflict'>,
  by: 1 | -1,
): QualityConflict | undefined {
  const at = conflicts.findIndex((one) => one.id === open && one.frame === frame);
  if (at >= 0) return conflicts.at((at + by) % conflicts.length);
  const here = conflicts.find((one) => one.frame === frame);
  const beyond = by === 1 ? conflicts.find((one) => one.frame > frame) : conflicts.findLast((one) => one.frame < frame);
  return here ?? beyond ?? conflicts.at(by === 1 ? 0 : -1);
}
