export { AnnotationsModule } from './annotations.module.js';
