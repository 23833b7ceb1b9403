import { useEffect } from 'react';
import type { Stage } from '../canvas/stage';
import type { Review, Step } from '../data/review';
import type { Action } from '../data/actions';
import type { DrawnType } from '../editing/sketch';
import type { Editing } from '../editing/use-editing';
import type { FrameSet } from '../frames/frame-set';

/** What actions do in a mode, instead of what they do otherwise. */
export interface ModeActions extends Partial<Record<Action, () => void>> {
  /** Called after the user has drawn an object, instead of selecting it. */
  readonly onDrawn?: () => void;
}

export interface ModePanelProps {
  readonly frames: FrameSet;
  /** The kinds of shapes that its frames can have. */
  readonly kinds: readonly DrawnType[];
  readonly review: Review;
  readonly editing: Editing;
  readonly stage: Stage | null;
  /** The frame on the canvas. It stays the previous one while the next one is loading. */
  readonly shownFrame: number;
  /** Receives the actions of the mode. */
  readonly onModeActions: (actions: ModeActions) => void;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
}

/** Sets the actions of a mode while its panel is shown. */
export function useModeActions(set: ModePanelProps['onModeActions'], actions: ModeActions): void {
  useEffect(() => {
    set(actions);
    return () => set({});
  });
}
