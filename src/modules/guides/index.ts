import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RequestsModule } from '../requests/index.js';
import { TasksModule } from '../tasks/index.js';
import { AssetCleaner, AssetFiles } from './asset-files.js';
import { AssetController, GuideController } from './guide.controller.js';
import { AssetRepository } from './asset.repository.js';
import { AssetService } from './asset.service.js';
import { GuideAssets } from './guide-assets.js';
import { GuideBackup } from './guide-backup.js';
import { GuideTargets, GuideService } from './guide.service.js';
import { GuideRepository } from './guide.repository.js';

export { type GuideAsset, GuideBackup, type GuideContent } from './guide-backup.js';
export { MAX_ASSET_MEGABYTES, MAX_ASSETS } from './guide.dto.js';

@Module({
  imports: [ProjectsModule, TasksModule, RequestsModule],
  controllers: [GuideController, AssetController],
  providers: [
    AssetFiles,
    AssetCleaner,
    AssetRepository,
    AssetService,
    GuideAssets,
    GuideBackup,
    GuideRepository,
    GuideService,
    GuideTargets,
  ],
  exports: [GuideBackup],
})
export class GuidesModule {}
