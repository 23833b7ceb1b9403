import type { BackgroundRequest } from './api';

/** @returns id of what a finished request has restored from a backup, null for every other request */
export const restoredIdOf = ({ operation, result_id: id }: BackgroundRequest): number | null =>
  operation.type === 'import:backup' ? (id ?? null) : null;

/** @returns path of its page */
export function restoredPath(request: BackgroundRequest): string | null {
  const id = restoredIdOf(request);
  return id === null ? null : `/${request.operation.target}s/${id}`;
}
