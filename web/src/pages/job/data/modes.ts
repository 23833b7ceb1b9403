import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** The ways to work on a job. Each has its own panel and its own keys. */
export const MODES = [
  { value: 'standard', label: 'Standard' },
  { value: 'tags', label: 'Tags' },
] as const;
export type Mode = (typeof MODES)[number]['value'];

/** Whether a mode is for users who can change annotations. */
export const needsEditing = (mode: Mode): boolean => mode !== 'standard';

/** The mode of a job, which the URL contains, so that it survives a reload. */
export function useMode(): readonly [Mode, (mode: Mode) => void] {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('mode');
  const mode = MODES.find(({ value }) => value === wanted)?.value ?? 'standard';
  const setMode = useCallback(
    (next: Mode) => setSearch((before) => withParameter(before, 'mode', next), { replace: true }),
    [setSearch],
  );
  return [mode, setMode];
}

/** The parameters of a URL with another value of one of them. */
export function withParameter(before: URLSearchParams, name: string, value: string): URLSearchParams {
  const after = new URLSearchParams(before);
  after.set(name, value);
  return after;
}
