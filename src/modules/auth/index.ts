export { AccountAdministration } from './account-administration.js';
export { AdminBootstrap } from './admin-bootstrap.js';
export { AuthModule } from './auth.module.js';
