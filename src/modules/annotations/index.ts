export { type AnnotatedTask, AnnotatedTaskRepository } from './annotated-task.repository.js';
export { AnnotationService } from './annotation.service.js';
export { AnnotationSource, type ShapeBatch, shapesOf } from './annotation.source.js';
export { AnnotationsModule } from './annotations.module.js';
export { FrameAnnotations } from './frame-annotations.js';
export { MergedAnnotations } from './merged-annotations.js';
