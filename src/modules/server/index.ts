export { ServerModule } from './server.module.js';
export { packageVersion } from './version.js';
