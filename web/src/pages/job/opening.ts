import { showEarly } from './canvas/early-frame';
import type { JobFacts } from './frames/ahead';
import { loadAhead } from './frames/opening';

/** Shows the first frame of a job before its page is rendered, at the same position. */
export async function openJob(facts: JobFacts, wanted: string | null): Promise<void> {
  const first = await loadAhead(facts, wanted);
  if (first !== undefined) await showEarly(first);
}
