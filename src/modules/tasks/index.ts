import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { ProjectsModule } from '../projects/index.js';
import { StoragesModule } from '../storages/index.js';
import { TaskController } from './task.controller.js';
import { TaskCreation } from './task.create.js';
import { TaskDeletion } from './task.delete.js';
import { TaskUpdate, TaskMove } from './task.update.js';
import { TaskRepository } from './task.repository.js';
import { TaskService } from './task.service.js';
import { taskVersions } from './task.versions.js';

export { TaskCreation } from './task.create.js';
export { type TaskRow } from './task.dto.js';
export { type LabelMapping, OnLabelRemapping } from './task.update.js';
export {
  readTaskFacts,
  TASK_FACTS_COLUMNS,
  taskFactsJoin,
  type TaskFactsRow,
  TaskRepository,
} from './task.repository.js';
export { TaskService } from './task.service.js';

@Module({
  imports: [LabelsModule, ProjectsModule, StoragesModule],
  controllers: [TaskController],
  providers: [TaskRepository, TaskService, TaskCreation, TaskUpdate, TaskDeletion, TaskMove],
  exports: [TaskCreation, TaskService, TaskRepository],
})
export class TasksModule {
  constructor(private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return taskVersions(this.labels);
  }
}
