export { FileInfoDto } from './share.dto.js';
export { ShareFiles } from './share-files.js';
export { ShareModule } from './share.module.js';
export { toFileInfo } from './share.service.js';
