export { type GuideAsset, GuideBackup, type GuideContent } from './guide-backup.js';
export { MAX_ASSET_MEGABYTES, MAX_ASSETS } from './asset.dto.js';
export { GuidesModule } from './guides.module.js';
