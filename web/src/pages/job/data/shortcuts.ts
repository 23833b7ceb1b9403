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
  /** As in `KeyboardEvent.key`, of which letters are compared without their case. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  readonly title: string;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** What the keys do; the dialog of shortcuts shows this very list. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Frames',
    shortcuts: [
      { action: 'forward', keys: ['f', '.'], title: 'Next frame' },
      { action: 'back', keys: ['d', ','], title: 'Frame before' },
      { action: 'forward-far', keys: ['v', 'PageDown'], title: '10 frames on' },
      { action: 'back-far', keys: ['c', 'PageUp'], title: '10 frames back' },
      { action: 'first', keys: ['Home'], title: 'First frame' },
      { action: 'last', keys: ['End'], title: 'Last frame' },
      { action: 'play', keys: [' '], title: 'Play or pause' },
      { action: 'go-to-frame', keys: ['g'], title: 'Go to a frame by its number' },
      { action: 'next-keyframe', keys: ['k'], title: 'Next keyframe of the chosen track' },
      { action: 'previous-keyframe', keys: ['k'], shift: true, title: 'Keyframe before, of the chosen track' },
    ],
  },
  {
    title: 'View',
    shortcuts: [
      { action: 'zoom-in', keys: ['+', '='], title: 'Zoom in' },
      { action: 'zoom-out', keys: ['-'], title: 'Zoom out' },
      { action: 'fit', keys: ['0'], title: 'The whole frame' },
      { action: 'actual-size', keys: ['1'], title: 'One screen pixel for each pixel' },
      { action: 'pan-left', keys: ['ArrowLeft'], title: 'Move to the left' },
      { action: 'pan-right', keys: ['ArrowRight'], title: 'Move to the right' },
      { action: 'pan-up', keys: ['ArrowUp'], title: 'Move up' },
      { action: 'pan-down', keys: ['ArrowDown'], title: 'Move down' },
      { action: 'quality', keys: ['q'], title: 'Compressed or original picture' },
      { action: 'filmstrip', keys: ['l'], title: 'Show or hide the filmstrip' },
    ],
  },
  {
    title: 'Objects',
    shortcuts: [
      { action: 'next-object', keys: ['n'], title: 'Choose the next object' },
      { action: 'previous-object', keys: ['n'], shift: true, title: 'Choose the object before' },
      { action: 'hide-object', keys: ['h'], title: 'Hide or show the chosen object' },
      { action: 'hide-all', keys: ['h'], shift: true, title: 'Hide or show all annotations' },
      { action: 'cancel', keys: ['Escape'], title: 'Choose nothing; put the tool away' },
    ],
  },
  {
    title: 'Tools',
    shortcuts: [
      { action: 'select-tool', keys: ['s'], title: 'Choose objects' },
      { action: 'move-tool', keys: ['m'], title: 'Move the frame' },
      { action: 'issue-tool', keys: ['i'], title: 'Pin a new issue' },
      { action: 'help', keys: ['?'], title: 'These shortcuts' },
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

/** @returns what a key does; nothing with Ctrl, Alt or Meta, which belong to the browser */
export function actionOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): Action | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  // Signs such as ? need Shift on some keyboards: only letters have a meaning of their own with it.
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

/** The keys of a shortcut as they are printed on keyboards. */
export function keyNames({ keys, shift = false }: Shortcut): string[] {
  return keys.map((key) => `${shift ? 'Shift + ' : ''}${NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}`);
}
