export { AccountAdministration } from './account-administration.js';
export { AdminBootstrap, type FirstAdministrator } from './admin-bootstrap.js';
export { AuthModule } from './auth.module.js';
