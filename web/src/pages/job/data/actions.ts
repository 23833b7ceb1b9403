import type { ConvertedType } from '../editing/converted-types';
import type { MaskMode } from '../editing/mask-options';
import type { DrawnType } from '../editing/sketch';

/** The digits of the labels that have a key. */
export const LABEL_KEYS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
/** The digits in the order of the keyboard. */
export const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;

/** What keys do in one mode only. */
export type ModeAction = `choose-${(typeof DIGITS)[number]}` | 'next-attribute' | 'previous-attribute' | 'issue-here';

export type Action =
  | ModeAction
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
  | 'find-frame'
  | 'filter-objects'
  | 'delete-frame'
  | 'play'
  | 'faster'
  | 'slower'
  | 'go-to-frame'
  | 'next-keyframe'
  | 'previous-keyframe'
  | 'first-keyframe'
  | 'last-keyframe'
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
  | 'actual-size'
  | 'rotate-right'
  | 'rotate-left'
  | 'select-tool'
  | 'move-tool'
  | 'issue-tool'
  | 'ruler-tool'
  | `${DrawnType}-tool`
  | `mask-${MaskMode}`
  | 'edit-mask'
  | 'draw'
  | 'undo'
  | 'redo'
  | 'save'
  | 'copy'
  | 'paste'
  | 'propagate'
  | 'split'
  | 'reverse'
  | 'redraw'
  | 'other-side'
  | 'no-perspective'
  | 'crop'
  | 'join'
  | 'slice'
  | `to-${ConvertedType}`
  | 'delete'
  | 'delete-locked'
  | 'group'
  | 'ungroup'
  | 'merge'
  | 'toggle-lock'
  | 'toggle-pin'
  | 'lock-all'
  | `label-${(typeof LABEL_KEYS)[number]}`
  | 'toggle-occluded'
  | 'toggle-outside'
  | 'toggle-keyframe'
  | 'raise'
  | 'lower'
  | 'next-object'
  | 'previous-object'
  | 'hide-object'
  | 'recolor'
  | 'hide-all'
  | 'quality'
  | 'filmstrip'
  | 'timeline'
  | 'toggle-snapping'
  | 'cancel'
  | 'settings'
  | 'statistics'
  | 'help';
