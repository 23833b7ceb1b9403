import type { BackgroundRequest } from './api';

/** @returns ID of the object that a finished request restored from a backup, or null for other requests */
export const restoredIdOf = ({ operation, result_id: id }: BackgroundRequest): number | null =>
  operation.type === 'import:backup' ? (id ?? null) : null;

/** @returns path of its page */
export function restoredPath(request: BackgroundRequest): string | null {
  const id = restoredIdOf(request);
  return id === null ? null : `/${request.operation.target}s/${id}`;
}
