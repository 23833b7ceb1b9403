import { useCallback, useMemo } from 'react';
import type { Action } from '../data/actions';
import { keyNames } from '../data/keys';
import type { ShortcutGroup } from '../data/shortcuts';
import { customized } from './custom-shortcuts';
import { useSettings } from './settings';

/** The shortcuts of the user. */
export function useShortcuts(): readonly ShortcutGroup[] {
  const { keys } = useSettings();
  return useMemo(() => customized(keys), [keys]);
}

/** @returns a function that adds the first shortcut of an action to its title, for tooltips */
export function useTitleWithKeys(): (title: string, action: Action) => string {
  const groups = useShortcuts();
  const names = useMemo(() => {
    const shortcuts = groups.flatMap((group) => group.shortcuts).toReversed();
    return new Map(shortcuts.map((shortcut) => [shortcut.action, keyNames(shortcut)[0]]));
  }, [groups]);
  return useCallback(
    (title, action) => {
      const name = names.get(action);
      return name === undefined ? title : `${title} (${name})`;
    },
    [names],
  );
}
