export { ValidationModule } from './validation.module.js';
