import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { AnnotationEndpoint } from './annotation.endpoint.js';
import { AnnotationReader } from './annotation.reader.js';
import { AnnotationRemapping } from './annotation.remapping.js';
import { AnnotationRepository } from './annotation.repository.js';
import { AnnotationService } from './annotation.service.js';
import { AnnotationSource } from './annotation.source.js';
import { AnnotationWriter } from './annotation.writer.js';
import { JobAnnotationController } from './job-annotation.controller.js';
import { MergedAnnotations } from './merged-annotations.js';
import { TaskAnnotationController } from './task-annotation.controller.js';

@Module({
  imports: [JobsModule, LabelsModule, TasksModule],
  controllers: [JobAnnotationController, TaskAnnotationController],
  providers: [
    AnnotatedTaskRepository,
    AnnotationRepository,
    AnnotationSource,
    AnnotationReader,
    MergedAnnotations,
    AnnotationWriter,
    AnnotationService,
    AnnotationEndpoint,
    AnnotationRemapping,
  ],
  exports: [
    AnnotatedTaskRepository,
    AnnotationSource,
    AnnotationReader,
    AnnotationWriter,
    AnnotationService,
    MergedAnnotations,
  ],
})
export class AnnotationsModule {}
