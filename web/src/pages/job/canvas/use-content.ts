import { useMemo } from 'react';
import type { Issue } from '../../../app/api';
import type { Review } from '../data/review';
import type { FrameSet } from '../frames/frame-set';
import type { useFrameImage } from '../frames/use-frame-image';
import { isPointCloud } from '../point-cloud/point-cloud';
import type { CanvasContent, CloudContent, Pin, ShownObject } from './content';

/** What the canvas or the views of a point cloud show, or null until the first frame is loaded. */
export function useContent(
  shown: ReturnType<typeof useFrameImage>['shown'],
  frames: FrameSet,
  objects: readonly ShownObject[],
  { areAllHidden, hidden, locked, pinned }: Review,
  isEditable: boolean,
): CanvasContent | CloudContent | null {
  return useMemo(() => {
    if (shown === null) return null;
    const { frame, image } = shown;
    const visible = areAllHidden ? [] : objects.filter(({ object }) => !hidden.has(object.key));
    const content = { frame, objects: visible, isEditable, locked, pinned };
    if (isPointCloud(image)) return { ...content, cloud: image };
    const { width, height } = frames.info(frame);
    return { ...content, image, size: { width, height } };
  }, [shown, frames, objects, areAllHidden, hidden, isEditable, locked, pinned]);
}

/** The pins of the issues on a frame, and of the draft of one. */
export function usePins(issues: readonly Issue[], frame: number, { issue, draft }: Review): readonly Pin[] {
  return useMemo(() => {
    const pins: Pin[] = issues
      .filter((entry) => entry.frame === frame)
      .map(({ id, position, resolved }) => ({ id, position, resolved, isSelected: id === issue }));
    if (draft?.frame === frame) pins.push({ id: 0, position: draft.position, resolved: false, isSelected: true });
    return pins;
  }, [issues, frame, issue, draft]);
}
