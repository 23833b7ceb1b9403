export { StorageDto, StorageInputDto } from './storage.dto.js';
export { StorageService } from './storage.service.js';
export { StoragesModule } from './storages.module.js';
export { sourceStorage, storageColumns, type StoragesRow, targetStorage } from './storage.mapper.js';
