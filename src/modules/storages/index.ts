import { Module } from '@nestjs/common';
import { CloudStoragesModule } from '../cloudstorages/index.js';
import { StorageService } from './storage.service.js';

export {
  sourceStorage,
  storageColumns,
  StorageDto,
  StorageInputDto,
  type StoragesRow,
  targetStorage,
} from './storage.dto.js';
export { StorageService } from './storage.service.js';

@Module({ imports: [CloudStoragesModule], providers: [StorageService], exports: [StorageService] })
export class StoragesModule {}
