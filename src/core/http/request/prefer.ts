import type { Request } from 'express';

/** Whether a client prefers an empty response to a 404: `Prefer: handling=empty`. Browsers log each 404 as an error. */
export const prefersEmpty = (request: Request): boolean =>
  (request.header('prefer') ?? '').replaceAll(' ', '').includes('handling=empty');
