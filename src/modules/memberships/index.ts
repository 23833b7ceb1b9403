export { ROLES } from './membership.dto.js';
export { Memberships } from './memberships.js';
export { MembershipsModule } from './memberships.module.js';
