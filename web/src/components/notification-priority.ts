/**
 * What is shown first if there is no room for all notifications: what disappears soon, and errors. Otherwise those that stay
 * until the user closes them, such as finished exports, would keep everything later from being seen.
 */
const LEVELS = { lasting: 0, lastingError: 1, brief: 2, error: 3 } as const;
/** More than there are notifications. */
const MANY = 1_000_000;
let shown = 0;

/** @returns a priority for Mantine: of one level, the newest comes first */
export const priorityOf = (level: keyof typeof LEVELS): number => LEVELS[level] + (shown += 1) / MANY;
