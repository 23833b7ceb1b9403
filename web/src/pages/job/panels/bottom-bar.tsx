import { type Dispatch, lazy, memo, type ReactNode, type RefObject, Suspense, useCallback } from 'react';
import type { Action } from '../data/actions';
import type { Review, Speed, Step } from '../data/review';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import type { MediumLoader } from '../frames/opening';
import type { ShownImage } from '../frames/use-frame-image';
import classes from '../job-page.module.css';
import { Throttled } from '../throttled';
import { Filmstrip } from './filmstrip';
import { Player } from './player';

// Loaded when it is first shown.
const Timeline = lazy(async () => ({ default: (await import('./timeline')).Timeline }));

interface BottomBarProps {
  readonly frames: FrameSet;
  readonly review: Review;
  readonly editor: Editor | undefined;
  readonly loader: MediumLoader | null;
  /** The image on the canvas. */
  readonly loaded: ShownImage | null;
  readonly is3d: boolean;
  /** Frames with annotations. */
  readonly annotated: ReadonlySet<number>;
  /** Frames with issues. */
  readonly issues: ReadonlySet<number>;
  /** Frames with conflicts of the newest quality report. */
  readonly conflicts: ReadonlySet<number>;
  /** Of the selected track. */
  readonly keyframes: readonly number[];
  readonly numberInput: RefObject<HTMLInputElement | null>;
  readonly mayDelete: boolean;
  readonly onAction: (action: Action) => void;
  readonly onStep: Dispatch<Step>;
}

/** The keyframes of tracks, the filmstrip and the player. */
export const BottomBar = memo(function BottomBar(props: BottomBarProps): ReactNode {
  const { frames, review, editor, loader, loaded, is3d, annotated, issues, conflicts, keyframes } = props;
  const { numberInput, mayDelete, onAction, onStep } = props;
  const { frame, isPlaying } = review;
  const onGo = useCallback((to: number) => onStep({ do: 'go', to }), [onStep]);
  const onSpeed = useCallback((speed: Speed) => onStep({ do: 'set', values: { speed } }), [onStep]);
  return (
    <div className={classes['bottom']}>
      <Throttled frame={frame} isPlaying={isPlaying}>
        {review.hasTimeline && editor !== undefined && (
          <Suspense fallback={null}>
            <Timeline frames={frames} frame={frame} editor={editor} selected={review.selected} onStep={onStep} />
          </Suspense>
        )}
        {review.hasFilmstrip && !is3d && (
          <Filmstrip frames={frames} frame={frame} loader={loader} loaded={loaded} isPlaying={isPlaying} onGo={onGo} />
        )}
        <Player
          frames={frames}
          frame={frame}
          isPlaying={isPlaying}
          speed={review.speed}
          hasFilmstrip={is3d ? undefined : review.hasFilmstrip}
          hasTimeline={review.hasTimeline}
          annotated={annotated}
          issues={issues}
          conflicts={conflicts}
          keyframes={keyframes}
          numberInput={numberInput}
          mayDelete={mayDelete}
          onAction={onAction}
          onGo={onGo}
          onSpeed={onSpeed}
        />
      </Throttled>
    </div>
  );
});
