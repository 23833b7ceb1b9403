/**
 * Route path with a slash at the end: `slashed('health')` serves `…/health/` and not `…/health`. The framework drops one
 * slash at the end of every route path, so this one has two.
 */
export const slashed = (path: string): string => `${path}//`;
