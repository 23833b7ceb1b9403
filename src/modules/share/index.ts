export { FileInfoDto } from './share.service.js';
export { ShareFiles } from './share.service.js';
export { ShareModule } from './share.module.js';
export { toFileInfo } from './share.service.js';
