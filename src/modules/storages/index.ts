export { StorageDto, StorageInputDto } from './storage.dto.js';
export { StorageService } from './storage.service.js';
export { StoragesModule } from './storages.module.js';
export { toStorage } from './storage.mapper.js';
