import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { MembershipDto } from './membership.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:membership': Created<MembershipDto>;
    'update:membership': Updated<MembershipDto>;
    'delete:membership': Deleted<MembershipDto>;
  }
}

declareEvents({
  resource: 'membership',
  object: MembershipDto,
  operations: {
    create: 'A person is invited to an organization',
    update: 'An invitation is accepted, or the role of a member changes',
    delete: 'A member leaves, is removed or declines the invitation, or their account is deleted',
  },
  ofProjects: [],
  columns: { ...columns('is_active', 'joined_date', 'role'), user: 'user_id' },
});

/** The scope of events about a membership. */
export const membershipScope = ({ organization }: MembershipDto): EventScope => ({
  organizationId: organization,
  projectId: null,
});
