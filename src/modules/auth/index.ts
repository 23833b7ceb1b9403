export { AccountAdministration, AdminBootstrap } from './accounts/account-administration.js';
export { AuthModule } from './auth.module.js';
