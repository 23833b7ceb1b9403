import { Module } from '@nestjs/common';
import { CloudBuckets, CloudCredentials, CloudStorageAccess } from './cloud-buckets.js';
import { CloudStorageBody, CloudStorageController } from './cloud-storage.controller.js';
import { CloudStorageContent } from './cloud-storage-content.js';
import { CloudStorageRepository } from './cloud-storage.repository.js';
import { CloudStorageService } from './cloud-storage.service.js';

export { CloudBuckets, CloudStorageAccess, type OpenBucket } from './cloud-buckets.js';

@Module({
  controllers: [CloudStorageController],
  providers: [
    CloudBuckets,
    CloudCredentials,
    CloudStorageAccess,
    CloudStorageBody,
    CloudStorageContent,
    CloudStorageRepository,
    CloudStorageService,
  ],
  exports: [CloudBuckets, CloudStorageAccess],
})
export class CloudStoragesModule {}
