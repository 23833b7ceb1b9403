export { TaskCreation } from './task.create.js';
export { type TaskRow } from './task.mapper.js';
export { type LabelMapping, OnLabelRemapping } from './task.move.js';
export {
  readTaskFacts,
  TASK_FACTS_COLUMNS,
  taskFactsJoin,
  type TaskFactsRow,
  TaskRepository,
} from './task.repository.js';
export { TaskService } from './task.service.js';
export { TasksModule } from './tasks.module.js';
