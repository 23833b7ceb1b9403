/**
 * Route path with a trailing slash: `slashed('health')` serves `…/health/` and not `…/health`. The framework removes
 * one trailing slash from every route path, so this one has two.
 */
export const slashed = (path: string): string => `${path}//`;
