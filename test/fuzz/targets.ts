import { exportTargets } from './export-targets.js';
import { geometryTargets } from './geometry-targets.js';
import { importTargets } from './import-targets.js';
import { mediaTargets } from './media-targets.js';
import type { FuzzTarget } from './target.js';
import { textTargets } from './text-targets.js';

/** Everything that works on strangers' files, or compares annotations. */
export const targets: readonly FuzzTarget[] = [
  ...importTargets,
  ...exportTargets,
  ...geometryTargets,
  ...mediaTargets,
  ...textTargets,
];
