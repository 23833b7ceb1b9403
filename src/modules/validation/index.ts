import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { JobsModule } from '../jobs/index.js';
import { MediaModule } from '../media/index.js';
import { TasksModule } from '../tasks/index.js';
import { GroundTruthController, ValidationLayoutController } from './validation.controller.js';
import { GroundTruthCreation, GroundTruthDeletion } from './ground-truth.service.js';
import { ValidationLayoutService } from './validation-layout.service.js';
import { ValidationRepository } from './validation.repository.js';

@Module({
  imports: [TasksModule, JobsModule, MediaModule, AnnotationsModule],
  controllers: [GroundTruthController, ValidationLayoutController],
  providers: [ValidationRepository, GroundTruthCreation, GroundTruthDeletion, ValidationLayoutService],
})
export class ValidationModule {}
