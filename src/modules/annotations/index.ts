export {
  type AnnotatedJob,
  type AnnotatedTask,
  AnnotatedTaskRepository,
  type Target,
} from './annotated-task.repository.js';
export type { Change } from './annotation-input.js';
export { AnnotationReader } from './annotation.reader.js';
export { AnnotationService } from './annotation.service.js';
export { AnnotationSource } from './annotation.source.js';
export { AnnotationWriter, type Written } from './annotation.writer.js';
export { AnnotationsModule } from './annotations.module.js';
export { labelsOf } from './label-specs.js';
