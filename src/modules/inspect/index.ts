export { InspectModule } from './inspect.module.js';
