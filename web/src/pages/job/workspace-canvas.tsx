import { type Dispatch, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { counted } from '../../components/counted';
import type { Issue, Job } from '../../app/api';
import type { ShownObject } from './canvas/content';
import { FrameView } from './canvas/frame-view';
import type { Stage } from './canvas/stage';
import { useContent, usePins } from './canvas/use-content';
import type { Action } from './data/actions';
import { activeKey, type Review, type Step } from './data/review';
import type { FrameSet } from './frames/frame-set';
import type { ImageState } from './frames/use-frame-image';
import classes from './job-page.module.css';
import { CanvasOverlays } from './panels/canvas-overlays';
import type { ZoomLevel } from './panels/zoom-badge';
import type { SceneObject } from './scene/scene';
import { useSettings } from './settings/settings';
import type { CanvasEdits } from './use-canvas-edits';
import type { Masks } from './use-masks';

interface WorkspaceCanvasProps {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly review: Review;
  readonly image: ImageState;
  /** The frame on the canvas. */
  readonly shownFrame: number;
  readonly zoom: ZoomLevel;
  /** The objects of the frame that meet the filter. */
  readonly objects: readonly ShownObject[];
  readonly issues: readonly Issue[];
  readonly masks: Masks;
  readonly edits: CanvasEdits;
  /** Whether the annotations of the frame can be changed. */
  readonly isEditable: boolean;
  readonly onStage: (stage: Stage | null) => void;
  readonly onHover: (key: string | null) => void;
  readonly onAction: (action: Action) => void;
  readonly onStep: Dispatch<Step>;
  /** Called when the browser cannot show point clouds. */
  readonly onFailure: () => void;
  /** Shown above the frame, too. */
  readonly children: ReactNode;
}

/** The frame with its annotations and pins, and what is shown above it. */
export function WorkspaceCanvas(props: WorkspaceCanvasProps): ReactNode {
  const { job, frames, review, image, shownFrame, zoom, objects, issues, masks, edits, isEditable } = props;
  const { onStage, onHover, onAction, onStep, onFailure } = props;
  // The mask being edited is shown by its painting.
  const unedited = useMemo(() => objects.filter(({ object }) => object.key !== masks.edited), [objects, masks.edited]);
  const content = useContent(image.shown, frames, unedited, review, isEditable);
  const pins = usePins(issues, shownFrame, review);
  const onSelect = useCallback(
    (key: string | null, adds: boolean) => {
      if (!adds) onStep({ do: 'select', key });
      else if (key !== null) onStep({ do: 'toggle-selected', key });
    },
    [onStep],
  );
  return (
    <div className={classes['middle']}>
      <FrameView
        is3d={job.dimension === '3d'}
        name={`Frame ${shownFrame} of job ${job.id} with ${counted(objects.length, 'object')}, listed in the Objects panel`}
        content={content}
        pins={pins}
        selected={review.selected}
        tool={review.tool}
        display={useSettings()}
        snaps={review.snaps}
        takesExtremePoints={review.takesExtremePoints}
        takesFourPoints={review.takesFourPoints}
        onStage={onStage}
        onSelect={onSelect}
        onSelectAll={(keys) => onStep({ do: 'select-all', keys, adds: true })}
        onHover={onHover}
        onDraw={edits.onDraw}
        onRedraw={edits.onRedraw}
        onEdit={edits.onEdit}
        onPaste={edits.paste}
        onIssue={(id) => onStep({ do: 'open-issue', id })}
        onPinIssue={(position) => onStep({ do: 'draft', position })}
        onView={(view) => zoom.set(view.scale)}
        onFailure={onFailure}
      />
      <CanvasOverlays
        job={job}
        frames={frames}
        review={review}
        image={image}
        shownFrame={shownFrame}
        zoom={zoom}
        objects={objects}
        masks={masks}
        onAction={onAction}
      />
      {props.children}
    </div>
  );
}

/** Scrolls to an object that was selected, but not on every frame while it stays selected. */
export function useReveal(stage: Stage | null, review: Review, selected: SceneObject | undefined): void {
  const active = activeKey(review);
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    if (revealed.current === active) return;
    revealed.current = active;
    if (selected?.bounds !== undefined) stage?.camera.reveal(selected.bounds);
  }, [stage, selected, active]);
}
