export type { LabelMapping } from './label-mapping.js';
export { LabelRemapping } from './label-remapping.js';
export { readTaskFacts, TASK_FACTS_COLUMNS, taskFactsJoin, type TaskFactsRow } from './task.facts.js';
export { type TaskRow } from './task.mapper.js';
export { TaskCreation } from './task.create.js';
export { TaskRepository } from './task.repository.js';
export { TaskService } from './task.service.js';
export { TaskStatuses } from './task.statuses.js';
export { TasksModule } from './tasks.module.js';
