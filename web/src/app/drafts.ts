import { useCallback, useEffect, useRef, useState } from 'react';

const PREFIX = 'draft ';

/**
 * Form state that is kept when the page is reloaded or another page is visited, until the tab is closed or the user logs
 * out. It must be serializable as JSON, so it cannot contain files.
 * @param name identifies the form and its object
 * @returns the value, its setter, and a function that removes the draft after saving
 */
export function useDraft<Value>(
  name: string,
  initial: Value,
): readonly [Value, (next: Value | ((before: Value) => Value)) => void, () => void] {
  const [value, setValue] = useState<Value>(() => (read(name) as Value | undefined) ?? initial);
  const isFresh = value === initial;
  const isForgotten = useRef(false);
  useEffect(() => {
    if (isForgotten.current) return;
    if (isFresh) removeDraft(name);
    else storeDraft(name, value);
  }, [name, value, isFresh]);
  const forget = useCallback(() => {
    isForgotten.current = true;
    removeDraft(name);
  }, [name]);
  return [value, setValue, forget];
}

export const removeDraft = (name: string): void => sessionStorage.removeItem(PREFIX + name);

/** Removes all drafts of the user. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

function read(name: string): unknown {
  const text = sessionStorage.getItem(PREFIX + name);
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

/** Stores a draft that a form on another page continues. */
export function storeDraft(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The storage quota is exceeded: the draft is kept until the page is reloaded.
  }
}
