import { useCallback, useEffect, useRef, useState } from 'react';

const PREFIX = 'draft ';

/**
 * State of a form that is still there when the page was loaded anew or another one was looked at meanwhile; it ends with
 * the tab or the log-out. What does not go into JSON, such as files, has no place in it.
 * @param name one for each form and object
 * @returns value, setter, and what forgets it once it is saved
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
    if (isFresh) sessionStorage.removeItem(PREFIX + name);
    else write(name, value);
  }, [name, value, isFresh]);
  const forget = useCallback(() => {
    isForgotten.current = true;
    sessionStorage.removeItem(PREFIX + name);
  }, [name]);
  return [value, setValue, forget];
}

/** Of whoever was logged in. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

function read(name: string): unknown {
  const text = sessionStorage.getItem(PREFIX + name);
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

function write(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The browser gives no more room: the text is kept as long as the page is.
  }
}
