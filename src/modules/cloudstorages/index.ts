export { CloudBuckets, type OpenBucket } from './cloud-buckets.js';
export { CloudStorageAccess } from './cloud-storage.service.js';
export { CloudStoragesModule } from './cloudstorages.module.js';
