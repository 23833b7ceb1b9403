import { CONVERTED_TYPES } from '../editing/converted-types';
import { MASK_MODES, type MaskMode } from '../editing/mask-options';
import { DRAWN_TYPES } from '../editing/sketch';
import { type Action, DIGITS, LABEL_KEYS } from './actions';
import type { Mode } from './modes';

const MASK_TITLES: Readonly<Record<MaskMode, string>> = {
  brush: 'Paint a mask with the brush',
  eraser: 'Erase pixels of the mask',
  'polygon-plus': 'Add a polygon to the mask',
  'polygon-minus': 'Subtract a polygon from the mask',
};

export interface Shortcut {
  readonly action: Action;
  /** Values of `KeyboardEvent.key`. Letters are compared without case. Without any, only the user can add some. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  /** Ctrl, or Command on a Mac. */
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  /** A key that is pressed before. */
  readonly after?: 't';
  readonly title: string;
  /** Whether it changes annotations, so that it needs the permission to. */
  readonly edits?: boolean;
  /** The only jobs in which it has an effect: those of images or those of point clouds. */
  readonly only?: '2d' | '3d';
}

/** @param dimension of the job */
export const isFor = ({ only }: Shortcut, dimension: string): boolean => only === undefined || only === dimension;

export interface ShortcutGroup {
  readonly title: string;
  /** The only mode in which these keys work. There they come before others. */
  readonly mode?: Mode;
  readonly shortcuts: readonly Shortcut[];
}

const digits = (title: (number: number) => string): Shortcut[] =>
  DIGITS.map((digit, at) => ({ action: `choose-${digit}`, keys: [digit], title: title(at + 1) }));

/** All actions with their keys, as the dialog lists them. Where CVAT's editor has the action, the keys are the same. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Frames',
    shortcuts: [
      { action: 'forward', keys: ['f', '.'], title: 'Next frame' },
      { action: 'back', keys: ['d', ','], title: 'Previous frame' },
      { action: 'forward-far', keys: ['v', 'PageDown'], title: 'Several frames forward' },
      { action: 'back-far', keys: ['c', 'PageUp'], title: 'Several frames back' },
      { action: 'first', keys: ['Home'], title: 'First frame' },
      { action: 'last', keys: ['End'], title: 'Last frame' },
      {
        action: 'next-annotated',
        keys: ['ArrowRight'],
        title: 'Next frame with annotations, or with objects that meet the filter',
      },
      {
        action: 'previous-annotated',
        keys: ['ArrowLeft'],
        title: 'Previous frame with annotations, or with objects that meet the filter',
      },
      { action: 'next-empty', keys: ['ArrowRight'], shift: true, title: 'Next frame without annotations' },
      { action: 'previous-empty', keys: ['ArrowLeft'], shift: true, title: 'Previous frame without annotations' },
      { action: 'play', keys: [' '], title: 'Play or pause' },
      { action: 'faster', keys: ['>'], title: 'Play faster' },
      { action: 'slower', keys: ['<'], title: 'Play slower' },
      { action: 'go-to-frame', keys: ['`'], title: 'Go to a frame by number' },
      { action: 'find-frame', keys: ['f'], shift: true, title: 'Find a frame by file name' },
      { action: 'delete-frame', keys: ['Delete'], alt: true, title: 'Delete or restore the frame', edits: true },
      { action: 'next-keyframe', keys: ['r'], title: 'Next keyframe of the selected track' },
      { action: 'previous-keyframe', keys: ['e'], title: 'Previous keyframe of the selected track' },
      { action: 'first-keyframe', keys: ['Home'], shift: true, title: 'First keyframe of the selected track' },
      { action: 'last-keyframe', keys: ['End'], shift: true, title: 'Last keyframe of the selected track' },
    ],
  },
  {
    title: 'Draw and edit',
    shortcuts: [
      { action: 'draw', keys: ['n'], title: 'Draw again, or finish the drawing', edits: true },
      {
        action: 'redraw',
        keys: ['n'],
        shift: true,
        title: 'Draw the selected object anew, or edit the selected mask',
        edits: true,
        only: '2d',
      },
      {
        action: 'toggle-snapping',
        keys: ['a'],
        ctrl: true,
        title: 'Snap to the outlines of other objects while drawing',
        edits: true,
        only: '2d',
      },
      { action: 'undo', keys: ['z'], ctrl: true, title: 'Undo', edits: true },
      { action: 'redo', keys: ['z'], ctrl: true, shift: true, title: 'Redo', edits: true },
      { action: 'redo', keys: ['y'], ctrl: true, title: 'Redo', edits: true },
      { action: 'save', keys: ['s'], ctrl: true, title: 'Save', edits: true },
      { action: 'copy', keys: ['c'], ctrl: true, title: 'Copy the selected objects', edits: true },
      { action: 'paste', keys: ['v'], ctrl: true, title: 'Paste', edits: true },
      {
        action: 'propagate',
        keys: ['b'],
        ctrl: true,
        title: 'Copy the selected objects to other frames',
        edits: true,
      },
      { action: 'split', keys: ['m'], alt: true, title: 'Split the selected track at this frame', edits: true },
      { action: 'reverse', keys: ['r'], alt: true, title: 'Reverse the selected outline', edits: true, only: '2d' },
      {
        action: 'crop',
        keys: ['c'],
        alt: true,
        title: 'Crop the selected object to the image',
        edits: true,
        only: '2d',
      },
      { action: 'join', keys: ['j'], title: 'Join the selected polygons and masks', edits: true, only: '2d' },
      {
        action: 'slice',
        keys: ['j'],
        alt: true,
        title: 'Slice the selected polygon or mask with a line',
        edits: true,
        only: '2d',
      },
      ...CONVERTED_TYPES.map((type): Shortcut => ({
        action: `to-${type}`,
        keys: [],
        title: `Convert the selected shapes to ${type}`,
        edits: true,
        only: '2d',
      })),
      { action: 'other-side', keys: [], title: 'Show the other side of the selected cuboid', edits: true, only: '2d' },
      {
        action: 'no-perspective',
        keys: [],
        title: 'Reset the perspective of the selected cuboid',
        edits: true,
        only: '2d',
      },
      { action: 'delete', keys: ['Delete', 'Backspace'], title: 'Delete the selected objects', edits: true },
      {
        action: 'delete-locked',
        keys: ['Delete', 'Backspace'],
        shift: true,
        title: 'Delete the selected objects, also locked ones',
        edits: true,
      },
      { action: 'group', keys: ['g'], title: 'Group the selected objects', edits: true },
      {
        action: 'ungroup',
        keys: ['g'],
        shift: true,
        title: 'Remove the selected objects from their groups',
        edits: true,
      },
      { action: 'merge', keys: ['m'], title: 'Merge the selected shapes and tracks into one track', edits: true },
      { action: 'toggle-occluded', keys: ['q', '/'], title: 'Mark as occluded or visible', edits: true },
      { action: 'toggle-outside', keys: ['o'], title: 'Mark the track as outside or inside the frame', edits: true },
      { action: 'toggle-keyframe', keys: ['k'], title: 'Add or remove a keyframe', edits: true },
      { action: 'raise', keys: ['+', '='], title: 'One layer up', edits: true, only: '2d' },
      { action: 'lower', keys: ['-', '_'], title: 'One layer down', edits: true, only: '2d' },
      ...LABEL_KEYS.map((number): Shortcut => ({
        action: `label-${number}`,
        keys: [String(number)],
        ctrl: true,
        title: `Use label ${number} for the selected objects, or for the next drawing`,
        edits: true,
      })),
    ],
  },
  {
    title: 'Objects',
    shortcuts: [
      { action: 'next-object', keys: ['Tab'], title: 'Select next object, under the pointer or in the list' },
      {
        action: 'previous-object',
        keys: ['Tab'],
        shift: true,
        title: 'Select previous object, under the pointer or in the list',
      },
      { action: 'hide-object', keys: ['h'], title: 'Hide or show the selected objects, or the mask being drawn' },
      { action: 'hide-all', keys: ['h'], after: 't', title: 'Hide or show all annotations' },
      { action: 'hide-all', keys: ['h'], shift: true, title: 'Hide or show all annotations' },
      { action: 'toggle-lock', keys: ['l'], title: 'Lock or unlock the selected objects' },
      { action: 'lock-all', keys: ['l'], after: 't', title: 'Lock or unlock all objects of the frame' },
      { action: 'toggle-pin', keys: ['p'], title: 'Pin the selected objects, so that they cannot be moved' },
      { action: 'recolor', keys: ['Enter'], title: 'Next colour for the label, object or group of the selection' },
      { action: 'filter-objects', keys: ['f'], alt: true, title: 'Filter objects' },
      { action: 'cancel', keys: ['Escape'], title: 'Cancel the drawing, clear selection and tool' },
    ],
  },
  {
    title: 'Tools',
    shortcuts: [
      { action: 'select-tool', keys: ['s'], title: 'Select objects' },
      { action: 'move-tool', keys: ['m'], shift: true, title: 'Move the frame' },
      { action: 'issue-tool', keys: ['i'], title: 'Add issue', only: '2d' },
      { action: 'ruler-tool', keys: ['u'], title: 'Measure a distance', only: '2d' },
      ...DRAWN_TYPES.map((type, at): Shortcut => ({
        action: `${type}-tool`,
        keys: [`${at + 1}`],
        alt: true,
        title: `Draw ${type}`,
        edits: true,
        ...(type === 'cuboid' ? {} : { only: '2d' }),
      })),
      {
        action: 'scissors-tool',
        keys: ['s'],
        shift: true,
        title: 'Draw a polygon that follows edges of the image',
        edits: true,
        only: '2d',
      },
      ...MASK_MODES.map((mode, at): Shortcut => ({
        action: `mask-${mode}`,
        keys: [`${at + 1}`],
        shift: true,
        title: MASK_TITLES[mode],
        edits: true,
        only: '2d',
      })),
      {
        action: 'clicks-tool',
        keys: ['c'],
        shift: true,
        title: 'Segment an object by clicks, with an interactor',
        edits: true,
        only: '2d',
      },
      {
        action: 'detect',
        keys: ['d'],
        shift: true,
        title: 'Detect objects on the frame, with a detector',
        edits: true,
        only: '2d',
      },
      {
        action: 'track',
        keys: ['t'],
        shift: true,
        title: 'Track the selected objects from this frame on, with a tracker',
        edits: true,
        only: '2d',
      },
      { action: 'edit-mask', keys: ['e'], shift: true, title: 'Edit the selected mask', edits: true, only: '2d' },
      { action: 'help', keys: ['?', 'F1'], title: 'Show keyboard shortcuts' },
      { action: 'settings', keys: ['F2'], title: 'Open settings' },
      { action: 'statistics', keys: ['i'], alt: true, title: 'Show statistics of the job' },
    ],
  },
  {
    title: 'View',
    shortcuts: [
      { action: 'zoom-in', keys: [']'], title: 'Zoom in' },
      { action: 'zoom-out', keys: ['['], title: 'Zoom out' },
      { action: 'fit', keys: ['0'], title: 'Fit frame to screen' },
      { action: 'actual-size', keys: ['1'], title: 'Actual size', only: '2d' },
      { action: 'rotate-right', keys: ['r'], ctrl: true, title: 'Rotate the image clockwise', only: '2d' },
      {
        action: 'rotate-left',
        keys: ['r'],
        ctrl: true,
        shift: true,
        title: 'Rotate the image counterclockwise',
        only: '2d',
      },
      { action: 'pan-left', keys: ['ArrowLeft'], alt: true, title: 'Pan left' },
      { action: 'pan-right', keys: ['ArrowRight'], alt: true, title: 'Pan right' },
      { action: 'pan-up', keys: ['ArrowUp'], title: 'Pan up' },
      { action: 'pan-down', keys: ['ArrowDown'], title: 'Pan down' },
      { action: 'quality', keys: ['q'], shift: true, title: 'Compressed or original quality', only: '2d' },
      { action: 'filmstrip', keys: ['l'], shift: true, title: 'Show or hide the filmstrip', only: '2d' },
      { action: 'timeline', keys: ['k'], shift: true, title: 'Show or hide the keyframes of tracks' },
    ],
  },
  {
    title: 'Point clouds',
    shortcuts: [
      { action: 'turn-left', keys: ['ArrowLeft'], ctrl: true, title: 'Turn the perspective view left', only: '3d' },
      { action: 'turn-right', keys: ['ArrowRight'], ctrl: true, title: 'Turn the perspective view right', only: '3d' },
      { action: 'turn-up', keys: ['ArrowUp'], ctrl: true, title: 'Look from further above', only: '3d' },
      { action: 'turn-down', keys: ['ArrowDown'], ctrl: true, title: 'Look from further below', only: '3d' },
    ],
  },
  {
    title: 'Attributes mode',
    mode: 'attributes',
    shortcuts: [
      { action: 'next-attribute', keys: ['ArrowDown'], title: 'Next attribute' },
      { action: 'previous-attribute', keys: ['ArrowUp'], title: 'Previous attribute' },
      ...digits((number) => `Set value ${number}`),
    ],
  },
  {
    title: 'Tags mode',
    mode: 'tags',
    shortcuts: digits((number) => `Add or remove tag ${number}`),
  },
  {
    title: 'Review mode',
    mode: 'review',
    shortcuts: [
      { action: 'issue-here', keys: ['n'], title: 'Add issue at the pointer', only: '2d' },
      { action: 'next-conflict', keys: ['x'], title: 'Next conflict', only: '2d' },
      { action: 'previous-conflict', keys: ['x'], shift: true, title: 'Previous conflict', only: '2d' },
    ],
  },
];

const EDITS: ReadonlySet<Action> = new Set(
  SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ action, edits }) => (edits === true ? [action] : []))),
);

/** Whether an action changes annotations, so that it needs the permission to. */
export const isEdit = (action: Action): boolean => EDITS.has(action);
