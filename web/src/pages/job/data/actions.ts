import type { ConvertedType } from '../editing/converted-types';
import type { MaskMode } from '../editing/mask-options';
import type { DrawnType } from '../editing/sketch';

/** The digits of the labels that have a key. */
export const LABEL_KEYS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
export type LabelKey = (typeof LABEL_KEYS)[number];
/** The digits in the order of the keyboard. */
export const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;

/** What keys do in one mode only. */
export type ModeAction =
  | `choose-${(typeof DIGITS)[number]}`
  | 'next-attribute'
  | 'previous-attribute'
  | 'issue-here'
  | 'next-conflict'
  | 'previous-conflict';

/** What functions do that help to annotate. */
export type ModelAction = 'detect' | 'clicks-tool' | 'track';

/** Going to other frames, playing, and deleting frames. */
export type FrameAction =
  | 'back'
  | 'forward'
  | 'back-far'
  | 'forward-far'
  | 'first'
  | 'last'
  | 'next-annotated'
  | 'previous-annotated'
  | 'next-empty'
  | 'previous-empty'
  | 'next-keyframe'
  | 'previous-keyframe'
  | 'first-keyframe'
  | 'last-keyframe'
  | 'find-frame'
  | 'go-to-frame'
  | 'delete-frame'
  | 'play'
  | 'faster'
  | 'slower'
  | 'filmstrip'
  | 'timeline';

/** Moving the view, and opening dialogs. */
export type ViewAction =
  | 'pan-left'
  | 'pan-right'
  | 'pan-up'
  | 'pan-down'
  | 'zoom-in'
  | 'zoom-out'
  | 'fit'
  | 'turn-left'
  | 'turn-right'
  | 'turn-up'
  | 'turn-down'
  | 'rotate-right'
  | 'rotate-left'
  | 'actual-size'
  | 'quality'
  | 'help'
  | 'settings'
  | 'statistics'
  | 'filter-objects';

/** Choosing a tool, and drawing. */
export type ToolAction =
  | 'select-tool'
  | 'move-tool'
  | 'issue-tool'
  | 'ruler-tool'
  | `${DrawnType}-tool`
  | 'scissors-tool'
  | `mask-${MaskMode}`
  | 'edit-mask'
  | 'draw'
  | 'redraw'
  | 'toggle-snapping'
  | 'cancel';

/** Selecting and hiding objects. */
export type SelectionAction =
  | 'next-object'
  | 'previous-object'
  | 'toggle-lock'
  | 'toggle-pin'
  | 'lock-all'
  | 'hide-object'
  | 'hide-all'
  | 'recolor';

/** Undo, saving, and copies. */
export type HistoryAction = 'undo' | 'redo' | 'save' | 'copy' | 'paste' | 'propagate';

/** Changing labels and properties of objects. */
export type ValueAction =
  | 'toggle-occluded'
  | 'toggle-outside'
  | 'toggle-keyframe'
  | 'raise'
  | 'lower'
  | 'group'
  | 'ungroup'
  | `label-${LabelKey}`;

/** Changing shapes and tracks. */
export type ShapeAction =
  | 'split'
  | 'reverse'
  | 'other-side'
  | 'no-perspective'
  | 'crop'
  | 'join'
  | 'slice'
  | `to-${ConvertedType}`
  | 'merge'
  | 'delete'
  | 'delete-locked';

/** What can be done in every mode. */
export type CommonAction =
  FrameAction | ViewAction | ToolAction | SelectionAction | HistoryAction | ValueAction | ShapeAction;

export type Action = ModeAction | ModelAction | CommonAction;
