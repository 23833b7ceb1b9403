export type Action =
  | 'back'
  | 'forward'
  | 'back-far'
  | 'forward-far'
  | 'first'
  | 'last'
  | 'play'
  | 'go-to-frame'
  | 'next-keyframe'
  | 'previous-keyframe'
  | 'pan-left'
  | 'pan-right'
  | 'pan-up'
  | 'pan-down'
  | 'zoom-in'
  | 'zoom-out'
  | 'fit'
  | 'actual-size'
  | 'select-tool'
  | 'move-tool'
  | 'issue-tool'
  | 'next-object'
  | 'previous-object'
  | 'hide-object'
  | 'hide-all'
  | 'quality'
  | 'filmstrip'
  | 'cancel'
  | 'help';

export interface Shortcut {
  readonly action: Action;
  /** Values of `KeyboardEvent.key`. Letters are compared without case. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  readonly title: string;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** All keyboard shortcuts, as the dialog lists them. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Frames',
    shortcuts: [
      { action: 'forward', keys: ['f', '.'], title: 'Next frame' },
      { action: 'back', keys: ['d', ','], title: 'Previous frame' },
      { action: 'forward-far', keys: ['v', 'PageDown'], title: '10 frames forward' },
      { action: 'back-far', keys: ['c', 'PageUp'], title: '10 frames back' },
      { action: 'first', keys: ['Home'], title: 'First frame' },
      { action: 'last', keys: ['End'], title: 'Last frame' },
      { action: 'play', keys: [' '], title: 'Play or pause' },
      { action: 'go-to-frame', keys: ['g'], title: 'Go to a frame by number' },
      { action: 'next-keyframe', keys: ['k'], title: 'Next keyframe of the selected track' },
      { action: 'previous-keyframe', keys: ['k'], shift: true, title: 'Previous keyframe of the selected track' },
    ],
  },
  {
    title: 'View',
    shortcuts: [
      { action: 'zoom-in', keys: ['+', '='], title: 'Zoom in' },
      { action: 'zoom-out', keys: ['-'], title: 'Zoom out' },
      { action: 'fit', keys: ['0'], title: 'Fit frame to screen' },
      { action: 'actual-size', keys: ['1'], title: 'Actual size' },
      { action: 'pan-left', keys: ['ArrowLeft'], title: 'Pan left' },
      { action: 'pan-right', keys: ['ArrowRight'], title: 'Pan right' },
      { action: 'pan-up', keys: ['ArrowUp'], title: 'Pan up' },
      { action: 'pan-down', keys: ['ArrowDown'], title: 'Pan down' },
      { action: 'quality', keys: ['q'], title: 'Compressed or original quality' },
      { action: 'filmstrip', keys: ['l'], title: 'Show or hide the filmstrip' },
    ],
  },
  {
    title: 'Objects',
    shortcuts: [
      { action: 'next-object', keys: ['n'], title: 'Select next object' },
      { action: 'previous-object', keys: ['n'], shift: true, title: 'Select previous object' },
      { action: 'hide-object', keys: ['h'], title: 'Hide or show selected object' },
      { action: 'hide-all', keys: ['h'], shift: true, title: 'Hide or show all annotations' },
      { action: 'cancel', keys: ['Escape'], title: 'Clear selection and tool' },
    ],
  },
  {
    title: 'Tools',
    shortcuts: [
      { action: 'select-tool', keys: ['s'], title: 'Select objects' },
      { action: 'move-tool', keys: ['m'], title: 'Move the frame' },
      { action: 'issue-tool', keys: ['i'], title: 'Add issue' },
      { action: 'help', keys: ['?'], title: 'Show keyboard shortcuts' },
    ],
  },
];

interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** @returns the action of a key, or undefined. Combinations with Ctrl, Alt or Meta belong to the browser. */
export function actionOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): Action | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  // Some keyboards need Shift for characters such as ?, so Shift distinguishes letters only.
  const isShifted = shiftKey && /^[a-z]$/.test(wanted);
  for (const { shortcuts } of SHORTCUTS) {
    const found = shortcuts.find(({ keys, shift = false }) => keys.includes(wanted) && shift === isShifted);
    if (found !== undefined) return found.action;
  }
  return undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
};

/** @returns the keys of a shortcut as printed on keyboards */
export function keyNames({ keys, shift = false }: Shortcut): string[] {
  return keys.map((key) => `${shift ? 'Shift + ' : ''}${NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}`);
}
