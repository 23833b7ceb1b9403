import type { Mode } from '../data/modes';
import type { Action } from '../data/actions';
import { type Key, keyNames, shiftedDigit } from '../data/keys';
import { isFor, type Shortcut, type ShortcutGroup, SHORTCUTS } from '../data/shortcuts';

/** Keys that are pressed together, or one after `after`. */
export type Combination = Pick<Shortcut, 'shift' | 'ctrl' | 'alt' | 'after'> & { readonly key: string };

/** The combinations of actions that differ from the defaults. */
export type CustomKeys = Readonly<Partial<Record<Action, readonly Combination[]>>>;

/** An action with all its combinations. */
export interface ShortcutRow {
  readonly action: Action;
  readonly title: string;
  readonly combinations: readonly Combination[];
}

interface RowGroup {
  readonly title: string;
  readonly mode: Mode | undefined;
  readonly rows: readonly ShortcutRow[];
}

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Dead', 'Process']);
/** Combinations that browsers do not leave to pages. */
const RESERVED = new Set([
  'Ctrl + N',
  'Ctrl + T',
  'Ctrl + W',
  'Ctrl + Shift + N',
  'Ctrl + Shift + T',
  'Ctrl + Shift + W',
]);

/** The table of shortcuts with the user's own combinations. */
export function customized(keys: CustomKeys): readonly ShortcutGroup[] {
  if (Object.keys(keys).length === 0) return SHORTCUTS;
  return SHORTCUTS.map(({ shortcuts, ...group }) => {
    const seen = new Set<Action>();
    const own = shortcuts.flatMap((shortcut): readonly Shortcut[] => {
      const combinations = keys[shortcut.action];
      if (combinations === undefined) return [shortcut];
      if (seen.has(shortcut.action)) return [];
      seen.add(shortcut.action);
      const { action, title: name, edits = false, only } = shortcut;
      const own = { action, title: name, edits, ...(only === undefined ? {} : { only }) };
      return combinations.map(({ key, ...held }) => ({ ...own, ...held, keys: [key] }));
    });
    return { ...group, shortcuts: own };
  });
}

/**
 * The actions of the table in its order, also those that the user has left without keys.
 * @param dimension of the job whose actions are listed; undefined for all
 */
export function rowsOf(keys: CustomKeys, dimension?: string): readonly RowGroup[] {
  const groups = SHORTCUTS.map(({ title, mode, shortcuts }) => {
    const rows = new Map<Action, ShortcutRow>();
    for (const shortcut of shortcuts) {
      if (dimension !== undefined && !isFor(shortcut, dimension)) continue;
      const { action, title: name } = shortcut;
      const before = rows.get(action)?.combinations ?? [];
      rows.set(action, { action, title: name, combinations: keys[action] ?? [...before, ...combinationsOf(shortcut)] });
    }
    return { title, mode, rows: [...rows.values()] };
  });
  return groups.filter(({ rows }) => rows.length > 0);
}

const combinationsOf = ({ keys, shift = false, ctrl = false, alt = false, after }: Shortcut): readonly Combination[] =>
  keys.map((key) => ({ key, shift, ctrl, alt, ...(after === undefined ? {} : { after }) }));

/** @returns a combination as printed on keyboards */
export const nameOf = ({ key, ...held }: Combination): string =>
  keyNames({ action: 'help', title: '', ...held, keys: [key] })[0] ?? '';

/**
 * @param after the key of a sequence that was pressed before
 * @returns the combination of a pressed key, or undefined for a modifier alone
 */
export function combinationOf(pressed: Key, after: Shortcut['after']): Combination | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = pressed;
  if (MODIFIERS.has(key)) return undefined;
  const digit = shiftedDigit(pressed);
  const name = digit ?? (key.length === 1 ? key.toLowerCase() : key);
  const shift = shiftKey && (digit !== undefined || /^[a-z]$/.test(name) || key.length > 1);
  return { key: name, shift, ctrl: ctrlKey || metaKey, alt: altKey, ...(after === undefined ? {} : { after }) };
}

/** @returns why an action cannot have a combination, or undefined if it can */
export function problemOf(combination: Combination, action: Action, keys: CustomKeys): string | undefined {
  const name = nameOf(combination);
  if (RESERVED.has(name)) return `Browsers use ${name} themselves. Choose other keys.`;
  const groups = rowsOf(keys);
  // In a mode, its own shortcuts come before the others, so both can use the same keys.
  const mode = groups.find(({ rows }) => rows.some((row) => row.action === action))?.mode;
  const rivals = groups.filter((group) => group.mode === mode).flatMap(({ rows }) => rows);
  for (const row of rivals) {
    if (!row.combinations.some((other) => nameOf(other) === name)) continue;
    if (row.action === action) return `“${row.title}” already has ${name}.`;
    return `${name} is already used for “${row.title}”. Choose other keys, or remove them there first.`;
  }
  return undefined;
}
