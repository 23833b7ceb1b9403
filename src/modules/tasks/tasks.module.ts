import { Inject, Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { ProjectsModule } from '../projects/index.js';
import { StoragesModule } from '../storages/index.js';
import { TaskController } from './task.controller.js';
import { TaskCreation } from './task.create.js';
import { TaskDeletion } from './task.delete.js';
import { TaskDto } from './task.dto.js';
import { TaskLabels } from './task.labels.js';
import { TaskMove } from './task.move.js';
import { TaskRepository } from './task.repository.js';
import { TaskService } from './task.service.js';
import { TaskUpdate } from './task.update.js';
import { Task20Dto, taskVersions } from './task.versions.js';

declareEvents({
  resource: 'task',
  object: TaskDto,
  older: { '2.0': Task20Dto },
  operations: {
    create: 'A task is made; it has no images yet',
    update:
      'A task is changed, gets its images, or its labels, guide, annotations or jobs change; also when its status follows that of its jobs',
    delete: 'A task is deleted, also with its project; what was in it is told of before',
  },
});

@Module({
  imports: [LabelsModule, ProjectsModule, StoragesModule],
  controllers: [TaskController],
  providers: [TaskRepository, TaskService, TaskCreation, TaskUpdate, TaskDeletion, TaskLabels, TaskMove],
  exports: [TaskCreation, TaskService, TaskRepository],
})
export class TasksModule {
  constructor(@Inject(LabelService) private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return taskVersions(this.labels);
  }
}
