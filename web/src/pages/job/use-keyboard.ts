import { useEffect, useRef } from 'react';
import type { Mode } from './data/modes';
import type { Action } from './data/actions';
import { shortcutOf, startsSequence } from './data/keys';
import type { Shortcut } from './data/shortcuts';
import { useShortcuts } from './settings/use-shortcuts';

const TYPED_IN = 'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"]';
/** Elements that handle these keys themselves. */
const OWN_KEYS: Readonly<Record<string, string>> = {
  ' ': 'button, a, summary, [role="button"], [role="tab"], [role="radio"]',
  Enter: 'button, a, summary, [role="button"], [role="tab"]',
  ArrowLeft: '[role="slider"], [role="tab"], [role="radio"]',
  ArrowRight: '[role="slider"], [role="tab"], [role="radio"]',
  ArrowUp: '[role="slider"], [role="radio"]',
  ArrowDown: '[role="slider"], [role="radio"]',
  Home: '[role="slider"]',
  End: '[role="slider"]',
  Tab: ':not(body)',
  PageUp: '[role="slider"]',
  PageDown: '[role="slider"]',
};

/** Maximum time between the two keys of a sequence. */
const SEQUENCE_MS = 1500;

/**
 * Handles keyboard shortcuts, except while the user types or a dialog is open.
 * @param isPossible false: the key keeps its meaning in the browser
 */
export function useKeyboard(
  mode: Mode,
  onAction: (action: Action) => void,
  isPossible: (shortcut: Shortcut) => boolean,
): void {
  const groups = useShortcuts();
  const current = useRef({ mode, groups, onAction, isPossible });
  useEffect(() => {
    current.current = { mode, groups, onAction, isPossible };
  });
  useEffect(() => {
    let sequenceStart = -Infinity;
    /** The action of the space bar. It waits for the key to be released, because dragging with the space bar pans. */
    let waiting: Action | undefined;
    const onPointerDown = (): void => {
      waiting = undefined;
    };
    const onKeyUp = ({ key }: KeyboardEvent): void => {
      if (key !== ' ' || waiting === undefined) return;
      current.current.onAction(waiting);
      waiting = undefined;
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('[role="dialog"]') !== null) return;
      const { target } = event;
      const isSecond = event.timeStamp - sequenceStart < SEQUENCE_MS;
      const { mode: now, groups: own } = current.current;
      const shortcut = shortcutOf(event, now, isSecond, own) ?? shortcutOf(event, now, false, own);
      if (target instanceof Element && shortcut?.action !== 'save') {
        const isTyping = target.matches(TYPED_IN) && !target.matches('input[type="radio"], input[type="checkbox"]');
        const ownedBy = OWN_KEYS[event.key];
        if (isTyping || (ownedBy !== undefined && target.matches(`${ownedBy}, input`))) return;
      }
      sequenceStart = startsSequence(event) ? event.timeStamp : -Infinity;
      if (shortcut === undefined || !current.current.isPossible(shortcut)) return;
      event.preventDefault();
      if (event.key !== ' ') current.current.onAction(shortcut.action);
      else if (!event.repeat) waiting = shortcut.action;
    };
    window.addEventListener('keydown', onKeyDown);
    window.addEventListener('keyup', onKeyUp);
    window.addEventListener('pointerdown', onPointerDown);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
      window.removeEventListener('keyup', onKeyUp);
      window.removeEventListener('pointerdown', onPointerDown);
    };
  }, []);
}
