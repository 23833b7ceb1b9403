import { Module } from '@nestjs/common';
import { CloudStoragesModule } from '../cloudstorages/index.js';
import { StorageService } from './storage.service.js';

export { StorageDto, StorageInputDto } from './storage.dto.js';
export { StorageService, sourceStorage, storageColumns, type StoragesRow, targetStorage } from './storage.service.js';

@Module({ imports: [CloudStoragesModule], providers: [StorageService], exports: [StorageService] })
export class StoragesModule {}
