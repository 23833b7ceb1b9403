import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Job } from '../../../app/api';

/** The ways to work on a job. Each has its own panel and its own keys. */
export const MODES = [
  { value: 'standard', label: 'Standard' },
  { value: 'attributes', label: 'Attributes' },
  { value: 'tags', label: 'Tags' },
  { value: 'single-shape', label: 'Single shape' },
  { value: 'review', label: 'Review' },
] as const;
export type Mode = (typeof MODES)[number]['value'];

/** Whether a mode is for users who can change annotations. */
export const needsEditing = (mode: Mode): boolean => mode !== 'standard' && mode !== 'review';

/**
 * The mode of a job, which the URL contains, so that it survives a reload. Without one, a job at the validation stage opens
 * in the review mode.
 */
export function useMode({ stage }: Pick<Job, 'stage'>): readonly [Mode, (mode: Mode) => void] {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('mode');
  // A later change of the stage does not change the mode.
  const [initial] = useState<Mode>(stage === 'validation' ? 'review' : 'standard');
  const mode = MODES.find(({ value }) => value === wanted)?.value ?? initial;
  const setMode = useCallback(
    (next: Mode) => setSearch(() => withParameter(currentParameters(), 'mode', next), { replace: true }),
    [setSearch],
  );
  return [mode, setMode];
}

/** The parameters of the URL. Those that the router knows do not have the current frame. */
export const currentParameters = (): URLSearchParams => new URLSearchParams(window.location.search);

/** The parameters of a URL with another value of one of them. */
export function withParameter(before: URLSearchParams, name: string, value: string): URLSearchParams {
  const after = new URLSearchParams(before);
  after.set(name, value);
  return after;
}
