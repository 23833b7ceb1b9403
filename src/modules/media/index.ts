import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { CloudStoragesModule } from '../cloudstorages/index.js';
import { JobsModule } from '../jobs/index.js';
import { ProjectsModule } from '../projects/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { ShareModule } from '../share/index.js';
import { TasksModule } from '../tasks/index.js';
import { CreateTaskHandler, CreationResult } from './creation/create-task.handler.js';
import {
  CreationSources,
  RemoteAddresses,
  RemoteFiles,
  SourceRules,
  UploadedFiles,
} from './creation/creation-sources.js';
import { ImagePreparation, VideoPreparation } from './creation/media-preparation.js';
import { ImportedImages } from './creation/imported-images.js';
import { MediaRestoration } from './creation/restored-media.js';
import { CloudSources } from './creation/stored-files.js';
import { FramesAhead } from './frames-ahead.js';
import { MediaDataRepository } from './media-data.repository.js';
import { MediaFiles, MediaFolders } from './media-files.js';
import { MediaHousekeeping } from './media-housekeeping.js';
import { ChunkStore } from './reading/chunk-store.js';
import { FrameStore } from './reading/frame-store.js';
import { CreationStatusService, MediaMetaService } from './reading/media-meta.service.js';
import { mediaMetaVersions } from './reading/media-meta.versions.js';
import { MediaReader } from './reading/media-reader.js';
import { MediaSourceRepository } from './reading/media-source.repository.js';
import {
  CreationStatusController,
  JobMediaController,
  ProjectPreviewController,
  TaskMediaController,
} from './reading/media.controller.js';
import { SharedChunks } from './reading/shared-chunks.js';
import { VideoAhead } from './reading/video-ahead.js';
import { VideoStore } from './reading/video-store.js';
import { BodyReader, TaskDataController } from './upload/task-data.controller.js';
import { MediaUploadRepository } from './upload/media-upload.repository.js';
import { PieceWriter, TusEndpoint, TusService } from './upload/tus.js';
import { CREATE_TASK, TaskDataService } from './upload/task-data.service.js';

export { type ImportedData, type ImportedImage, ImportedImages } from './creation/imported-images.js';
export { MediaRestoration, type RestoredMedia, type RestoredTask } from './creation/restored-media.js';
export { MediaFiles, type MediaLocation } from './media-files.js';
export { VideoStore } from './reading/video-store.js';
export { MediaReader } from './reading/media-reader.js';
export { type MediaSource, MediaSourceRepository, type ValidationRow } from './reading/media-source.repository.js';
export { announcedName, PieceWriter, readUploadKey, TusEndpoint, uploadKey } from './upload/tus.js';
export { ApiQueued, RequestIdDto } from './upload/data-parameters.js';

declareRequestEvents([CREATE_TASK]);

@Module({
  imports: [HttpModule, ProjectsModule, TasksModule, JobsModule, RequestsModule, ShareModule, CloudStoragesModule],
  // `data/meta` must be registered before `data/:fileId`.
  controllers: [
    TaskMediaController,
    CreationStatusController,
    JobMediaController,
    ProjectPreviewController,
    TaskDataController,
  ],
  providers: [
    BodyReader,
    ChunkStore,
    CloudSources,
    CreateTaskHandler,
    ImportedImages,
    CreationResult,
    CreationSources,
    CreationStatusService,
    FramesAhead,
    FrameStore,
    ImagePreparation,
    MediaDataRepository,
    MediaFiles,
    MediaFolders,
    MediaHousekeeping,
    MediaMetaService,
    MediaReader,
    MediaRestoration,
    MediaSourceRepository,
    MediaUploadRepository,
    PieceWriter,
    RemoteAddresses,
    RemoteFiles,
    SharedChunks,
    SourceRules,
    TaskDataService,
    TusEndpoint,
    TusService,
    UploadedFiles,
    VideoAhead,
    VideoPreparation,
    VideoStore,
  ],
  exports: [
    ImportedImages,
    MediaFiles,
    MediaReader,
    MediaRestoration,
    MediaSourceRepository,
    PieceWriter,
    TusEndpoint,
    VideoStore,
  ],
})
export class MediaModule {
  @Represents()
  versions(): Representation {
    return mediaMetaVersions;
  }
}
