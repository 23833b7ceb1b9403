import { Module } from '@nestjs/common';
import { CloudBuckets } from './cloud-buckets.js';
import { CloudCredentials } from './cloud-credentials.js';
import { CloudStorageAccess } from './cloud-storage-access.js';
import { CloudStorageBody } from './cloud-storage-body.js';
import { CloudStorageContent } from './cloud-storage-content.js';
import { CloudStorageController } from './cloud-storage.controller.js';
import { CloudStorageRepository } from './cloud-storage.repository.js';
import { CloudStorageService } from './cloud-storage.service.js';

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
