import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { JobsModule } from '../jobs/index.js';
import { MediaModule } from '../media/index.js';
import { TasksModule } from '../tasks/index.js';
import { ValidationLayoutController } from './validation-layout.controller.js';
import { ValidationLayoutRepository } from './validation-layout.repository.js';
import { ValidationLayoutService } from './validation-layout.service.js';

@Module({
  imports: [TasksModule, JobsModule, MediaModule, AnnotationsModule],
  controllers: [ValidationLayoutController],
  providers: [ValidationLayoutRepository, ValidationLayoutService],
})
export class ValidationModule {}
