import { type HTMLAttributes, type SyntheticEvent, useRef } from 'react';

/** Elements that keep the focus after a click, because the user types in them. */
const TEXT_FIELDS =
  'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="range"], [type="button"])';
/** Where Space or an arrow key would change something again. Other buttons keep the focus, because they may open a dialog. */
const SWITCHES = 'input[type="checkbox"], input[type="radio"], [aria-pressed]';
/** Keys have another meaning in them. */
const LAYERS = '[role="dialog"], [role="menu"]';

type Handlers = Pick<
  HTMLAttributes<HTMLElement>,
  'onKeyDown' | 'onKeyDownCapture' | 'onPointerDownCapture' | 'onClick' | 'onChange'
>;

/**
 * Returns the focus to the page after a field was used, so that the next key is a shortcut and does not change the field:
 * after Enter and Esc, after a choice, and after a click on a checkbox or another switch. Those who use the keyboard only
 * keep the focus there. Lists of choices are part of this, although they are rendered elsewhere on the page.
 */
export function useFocusReturn(): Handlers {
  const isPointer = useRef(false);
  return {
    onPointerDownCapture: () => (isPointer.current = true),
    onKeyDownCapture: () => (isPointer.current = false),
    onKeyDown(event) {
      const { key, target } = event;
      const ends = key === 'Escape' || (key === 'Enter' && !isIn(target, 'textarea'));
      if (ends && !event.nativeEvent.isComposing && isIn(target, TEXT_FIELDS)) release(event);
    },
    onClick(event) {
      const isChoice = isIn(event.target, '[role="option"]');
      if (isChoice || (isPointer.current && isIn(document.activeElement, SWITCHES))) release(event);
    },
    onChange(event) {
      if (isIn(event.target, 'select')) release(event);
    },
  };
}

/** Waits until the field has handled the event, because that may move the focus or change what the field does without it. */
function release({ target }: SyntheticEvent): void {
  const { activeElement: field } = document;
  if (!(field instanceof HTMLElement) || isIn(target, LAYERS) || isIn(field, LAYERS)) return;
  queueMicrotask(() => (document.activeElement === field ? field.blur() : undefined));
}

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;
