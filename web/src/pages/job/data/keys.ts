import type { Mode } from './modes';
import { type Shortcut, type ShortcutGroup, SHORTCUTS } from './shortcuts';

/** The fields of a keyboard event that a shortcut depends on. */
export interface Key {
  readonly key: string;
  /** The position of the key, such as Digit1. */
  readonly code?: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Whether a key starts a sequence of two keys. */
export const startsSequence = ({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): boolean =>
  key === 't' && !shiftKey && !ctrlKey && !metaKey && !altKey;

/** @returns the digit of a key that is pressed with Shift, which changes its character, so the position of the key counts */
export const shiftedDigit = ({ shiftKey, code }: Key): string | undefined =>
  shiftKey ? /^Digit(\d)$/.exec(code ?? '')?.[1] : undefined;

/**
 * @param isSecond whether the key follows one that starts a sequence
 * @param groups the shortcuts of the user
 * @returns the shortcut of a key, or undefined. Other combinations with Ctrl, Alt or Meta belong to the browser.
 */
export function shortcutOf(
  pressed: Key,
  mode: Mode,
  isSecond = false,
  groups: readonly ShortcutGroup[] = SHORTCUTS,
): Shortcut | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = pressed;
  const digit = shiftedDigit(pressed);
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  // Some keyboards need Shift for characters such as ?, so Shift distinguishes letters, digits and named keys only.
  const isShifted = shiftKey && (/^[a-z]$/.test(wanted) || key.length > 1);
  const matches = ({ keys, shift = false, ctrl = false, alt = false, after }: Shortcut): boolean =>
    (after !== undefined) === isSecond &&
    ((keys.includes(wanted) && shift === isShifted) || (digit !== undefined && shift && keys.includes(digit))) &&
    ctrl === (ctrlKey || metaKey) &&
    alt === altKey;
  const inGroupsOf = (wantedMode: Mode | undefined): Shortcut | undefined =>
    groups
      .filter((group) => group.mode === wantedMode)
      .flatMap(({ shortcuts }) => shortcuts)
      .find(matches);
  return inGroupsOf(mode) ?? inGroupsOf(undefined);
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
export function keyNames({ keys, shift = false, ctrl = false, alt = false, after }: Shortcut): string[] {
  const before = after === undefined ? '' : `${after.toUpperCase()} `;
  const held = `${before}${ctrl ? 'Ctrl + ' : ''}${alt ? 'Alt + ' : ''}${shift ? 'Shift + ' : ''}`;
  return keys.map((key) => `${held}${NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}`);
}
