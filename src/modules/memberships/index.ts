export { MembershipChanges } from './membership.changes.js';
export { ROLES } from './membership.dto.js';
export { MembershipsModule } from './memberships.module.js';
