import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { CloudStoragesModule } from '../cloudstorages/index.js';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { MediaModule } from '../media/index.js';
import { ProjectsModule } from '../projects/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { TasksModule } from '../tasks/index.js';
import { DatasetLoader } from './dataset/dataset.loader.js';
import { DatasetRepository } from './dataset/dataset.repository.js';
import { ExchangeClouds } from './exchange-clouds.js';
import { ExchangeFolders } from './exchange-folders.js';
import { ExchangeAccess } from './exchange-target.js';
import { ExportEndpoint } from './export/export.endpoint.js';
import { JobExportController, ProjectExportController, TaskExportController } from './export/export.controller.js';
import { EXPORT_TYPES, ExportHandler } from './export/export.handler.js';
import { ExportService } from './export/export.service.js';
import { JobImportController, ProjectImportController, TaskImportController } from './import/import.controller.js';
import { FetchedFiles } from './import/fetched-files.js';
import { ImportEndpoint } from './import/import.endpoint.js';
import { ImportFiles } from './import/import-files.js';
import { IMPORT_ANNOTATIONS, ImportHandler } from './import/import.handler.js';
import { ImportService } from './import/import.service.js';
import { DatasetImportHandler, IMPORT_DATASET } from './import/dataset-import.handler.js';

declareRequestEvents([...Object.values(EXPORT_TYPES), IMPORT_ANNOTATIONS, IMPORT_DATASET]);

/** Annotations and datasets on their way out of the server, and into it, as files in the formats of the field. */
@Module({
  imports: [
    AnnotationsModule,
    CloudStoragesModule,
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
  ],
  providers: [
    DatasetImportHandler,
    DatasetLoader,
    DatasetRepository,
    ExchangeAccess,
    ExchangeClouds,
    ExchangeFolders,
    ExportEndpoint,
    ExportHandler,
    ExportService,
    FetchedFiles,
    ImportEndpoint,
    ImportFiles,
    ImportHandler,
    ImportService,
  ],
})
export class ExchangeModule {}
