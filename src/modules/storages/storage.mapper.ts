import type { StorageDto } from './storage.dto.js';

/** A joined storage; null where there is none. */
export const toStorage = (
  id: number | null,
  location: string | null,
  cloudStorageId: number | null,
): StorageDto | null => (id === null ? null : { id, location: location ?? 'local', cloud_storage_id: cloudStorageId });
