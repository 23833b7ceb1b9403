import { Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Job } from '../../../app/api';
import { ErrorPanel } from '../../../components/error-panel';
import type { ShownObject } from '../canvas/content';
import type { ToolName } from '../canvas/tools';
import type { Action } from '../data/actions';
import type { Review } from '../data/review';
import type { FrameSet } from '../frames/frame-set';
import type { ImageState } from '../frames/use-frame-image';
import classes from '../job-page.module.css';
import { Throttled } from '../throttled';
import type { Masks } from '../use-masks';
import { ContextImages } from './context-images';
import { ZoomBadge, type ZoomLevel } from './zoom-badge';

// Loaded when it is first shown.
const MaskToolbar = lazy(async () => ({ default: (await import('./mask-toolbar')).MaskToolbar }));

const HINTS: Partial<Record<ToolName, string>> = {
  slice: 'Draw a line across the object. Press N or double-click to finish.',
  scissors: 'Click along the outline of the object. Press N or double-click to finish.',
};

interface CanvasOverlaysProps {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly review: Review;
  readonly image: ImageState;
  /** The frame on the canvas. */
  readonly shownFrame: number;
  readonly zoom: ZoomLevel;
  readonly objects: readonly ShownObject[];
  readonly masks: Masks;
  readonly onAction: (action: Action) => void;
}

/** What is shown above the frame: the tools for masks, the zoom, the state of the frame, its tags and its context images. */
export function CanvasOverlays(props: CanvasOverlaysProps): ReactNode {
  const { job, frames, review, image, shownFrame, zoom, objects, masks, onAction } = props;
  const { frame, isPlaying } = review;
  const is3d = job.dimension === '3d';
  const { related_files: related = 0 } = frames.info(shownFrame);
  return (
    <>
      {masks.session !== undefined && (
        <Suspense fallback={null}>
          <MaskToolbar masks={masks} onAction={onAction} />
        </Suspense>
      )}
      {!is3d && <ZoomBadge level={zoom} />}
      {image.error !== null && (
        <div className={classes['notice']}>
          <ErrorPanel error={image.error} onRetry={image.retry} />
        </div>
      )}
      {image.isLoading && (
        <div className={classes['loading']} role="status">
          <Loader size="sm" color="gray" aria-hidden />
          <span className="visually-hidden">Frame {frame} is being loaded…</span>
        </div>
      )}
      {frames.isDeleted(shownFrame) && <div className={classes['deleted-note']}>This frame is deleted</div>}
      {HINTS[review.tool] !== undefined && (
        <div className={classes['hint']} role="status">
          {HINTS[review.tool]}
        </div>
      )}
      <TagsOf objects={objects} />
      <Throttled frame={frame} isPlaying={isPlaying}>
        {related > 0 && <ContextImages jobId={job.id} frame={shownFrame} count={related} is3d={is3d} />}
      </Throttled>
    </>
  );
}

/** Tags have no position in the frame, so they are shown in its corner. */
function TagsOf({ objects }: { readonly objects: readonly ShownObject[] }): ReactNode {
  const tags = objects.filter(({ object }) => object.kind === 'tag');
  if (tags.length === 0) return null;
  return (
    <ul className={classes['tags']} aria-label="Tags of the frame">
      {tags.map(({ object, color }) => (
        <li key={object.key} style={{ borderColor: color }}>
          {object.labelName}
        </li>
      ))}
    </ul>
  );
}
