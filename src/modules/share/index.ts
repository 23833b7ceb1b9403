import { Module } from '@nestjs/common';
import { ShareController } from './share.controller.js';
import { ShareFiles, ShareService } from './share.service.js';

export { FileInfoDto } from './share.service.js';
export { ShareFiles } from './share.service.js';
export { toFileInfo } from './share.service.js';

@Module({ controllers: [ShareController], providers: [ShareFiles, ShareService], exports: [ShareFiles] })
export class ShareModule {}
