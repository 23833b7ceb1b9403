import type { Job } from '../../app/api';
import { type Mode, needsEditing, useMode } from './data/modes';
import type { Surroundings } from './data/queries';
import type { Editing } from './editing/use-editing';

interface RightfulMode {
  readonly mode: Mode;
  readonly setMode: (mode: Mode) => void;
  /** Whether the user can change annotations in this mode. */
  readonly mayEdit: boolean;
}

/** The mode of the job. Users who cannot change annotations get the standard mode instead of those for editing. */
export function useRightfulMode(
  job: Job,
  surroundings: Surroundings | undefined,
  editing: Editing | undefined,
): RightfulMode {
  const [wanted, setMode] = useMode(job);
  const mayChange = surroundings?.rights.changeAnnotations === true && editing?.isForbidden !== true;
  const mode = surroundings !== undefined && !mayChange && needsEditing(wanted) ? 'standard' : wanted;
  return { mode, setMode, mayEdit: mayChange && mode !== 'review' };
}
