import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { ProjectsModule } from '../projects/index.js';
import { TasksModule } from '../tasks/index.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { JobAnnotationController, TaskAnnotationController } from './annotation.controller.js';
import { AnnotationReader } from './annotation.reader.js';
import { MergedAnnotations } from './merged-annotations.js';
import { AnnotationRemapping, AnnotationsOfJobs, AnnotationsOfLabels } from './annotation.cascades.js';
import { AnnotationRepository } from './annotation.repository.js';
import { AnnotationService, FrameAnnotations } from './annotation.service.js';
import { AnnotationSource } from './annotation.source.js';
import { AnnotationWriter } from './annotation.writer.js';
import { JobAnnotations } from './job-annotations.js';
import { AnnotationAuthorsReader } from './history/annotation-authors.js';
import { ChangedFrames } from './history/changed-frames.js';
import { HistoryCleaner, HistoryService } from './history/history.service.js';
import { JobHistoryController, TaskHistoryController } from './history/history.controller.js';
import { RevisionRecorder, SaveRecorder } from './history/revision.recorder.js';
import { RevisionRepository } from './history/revision.repository.js';
import './annotations.events.js';

export { type AnnotatedJob, type AnnotatedTask, AnnotatedTaskRepository } from './annotated-task.repository.js';
export { LabeledDataDto } from './annotation.dto.js';
export { AnnotationService, FrameAnnotations, type ImportSave, type JoinedShapes } from './annotation.service.js';
export { readAnnotations } from './annotation.writer.js';
export { AnnotationSource, type ShapeBatch, shapesOf } from './annotation.source.js';
export { AnnotationAuthorsReader } from './history/annotation-authors.js';
export { ChangedFrames, type ChangedRange } from './history/changed-frames.js';
export { revisionsUrl } from './history/revision.dto.js';
export { JobAnnotations, type TaskFrames } from './job-annotations.js';
export { MergedAnnotations } from './merged-annotations.js';

@Module({
  imports: [JobsModule, LabelsModule, ProjectsModule, TasksModule],
  controllers: [JobAnnotationController, TaskAnnotationController, JobHistoryController, TaskHistoryController],
  providers: [
    AnnotatedTaskRepository,
    AnnotationRepository,
    AnnotationSource,
    AnnotationReader,
    MergedAnnotations,
    AnnotationWriter,
    AnnotationService,
    AnnotationRemapping,
    AnnotationsOfJobs,
    AnnotationsOfLabels,
    RevisionRepository,
    RevisionRecorder,
    SaveRecorder,
    HistoryService,
    HistoryCleaner,
    ChangedFrames,
    FrameAnnotations,
    JobAnnotations,
    AnnotationAuthorsReader,
  ],
  exports: [
    AnnotationAuthorsReader,
    AnnotatedTaskRepository,
    ChangedFrames,
    AnnotationSource,
    AnnotationService,
    FrameAnnotations,
    JobAnnotations,
    MergedAnnotations,
  ],
})
export class AnnotationsModule {}
