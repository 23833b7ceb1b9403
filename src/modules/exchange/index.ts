import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { CloudStoragesModule } from '../cloudstorages/index.js';
import { GuidesModule } from '../guides/index.js';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { MediaModule } from '../media/index.js';
import { ProjectsModule } from '../projects/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { TasksModule } from '../tasks/index.js';
import { ProjectBackupController, TaskBackupController } from './backup/backup.controller.js';
import { BackupHandler, EXPORT_BACKUP } from './backup/backup.handler.js';
import { BackupManifests } from './backup/backup-manifest.js';
import { BackupRepository } from './backup/backup.repository.js';
import { BackupService } from './backup/backup.service.js';
import { IMPORT_BACKUP, RestoreHandler, TaskRestoration } from './backup/restore.handler.js';
import { DatasetLoader } from './dataset/dataset.loader.js';
import { DatasetRepository } from './dataset/dataset.repository.js';
import { ExchangeClouds, ExchangeFolders, ExportedArchives } from './exchange-files.js';
import { ExchangeRequests, ExchangeAccess } from './exchange-requests.js';
import {
  JobExportController,
  ProjectExportController,
  REMOVED_CONTROLLERS,
  TaskExportController,
} from './export/export.controller.js';
import { ExportAnnotations } from './export/export-annotations.js';
import { ExportImages } from './export/export-images.js';
import { EXPORT_TYPES, ExportHandler } from './export/export.handler.js';
import { ExportService } from './export/export.service.js';
import { JobImportController, ProjectImportController, TaskImportController } from './import/import.controller.js';
import { CloudFiles, FileUploads, ImportFiles } from './import/import-files.js';
import { ImportAttempts } from './import/import-attempts.js';
import { DatasetImportHandler, IMPORT_DATASET } from './import/dataset-import.handler.js';
import { DatasetTasks } from './import/dataset-tasks.js';
import { IMPORT_ANNOTATIONS, ImportHandler } from './import/import.handler.js';
import { ImportService } from './import/import.service.js';

export { ExchangeClouds, fileTimestamp, type OutgoingFile, requireKey } from './exchange-files.js';
export { EXPORT_PARAMETERS, REQUEST_PARAMETER } from './exchange-documents.js';
export { type FileQuery, readFile } from './exchange-query.js';
export { toExchangeFailure } from './exchange-requests.js';
export { sendExport } from './export/export.controller.js';
export { type ExportedFile, ExportService } from './export/export.service.js';

declareRequestEvents([
  ...Object.values(EXPORT_TYPES),
  IMPORT_ANNOTATIONS,
  IMPORT_DATASET,
  EXPORT_BACKUP,
  IMPORT_BACKUP,
]);

/** Exports and imports of annotations, datasets and backups as files. */
@Module({
  imports: [
    AnnotationsModule,
    CloudStoragesModule,
    GuidesModule,
    JobsModule,
    LabelsModule,
    MediaModule,
    ProjectsModule,
    RequestsModule,
    TasksModule,
  ],
  controllers: [
    TaskExportController,
    JobExportController,
    ProjectExportController,
    TaskImportController,
    JobImportController,
    ProjectImportController,
    ProjectBackupController,
    TaskBackupController,
    ...REMOVED_CONTROLLERS,
  ],
  providers: [
    BackupHandler,
    BackupManifests,
    BackupRepository,
    BackupService,
    DatasetImportHandler,
    DatasetTasks,
    DatasetLoader,
    DatasetRepository,
    ExchangeAccess,
    ExchangeClouds,
    ExchangeFolders,
    ExchangeRequests,
    ExportedArchives,
    ExportAnnotations,
    ExportHandler,
    ExportImages,
    ExportService,
    CloudFiles,
    FileUploads,
    ImportAttempts,
    ImportFiles,
    ImportHandler,
    ImportService,
    RestoreHandler,
    TaskRestoration,
  ],
  exports: [ExchangeClouds, ExportService],
})
export class ExchangeModule {}
