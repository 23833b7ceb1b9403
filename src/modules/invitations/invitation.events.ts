import { declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope } from '../../core/events/event-map.js';
import { InvitationDto } from './invitation.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:invitation': Created<InvitationDto>;
    'delete:invitation': Deleted<InvitationDto>;
  }
}

declareEvents({
  resource: 'invitation',
  object: InvitationDto,
  operations: {
    create: 'A person is invited. The event of the membership is sent first',
    delete: 'An invitation is revoked, declined, or deleted with its membership or organization',
  },
  ofProjects: [],
});

/** The scope of events about an invitation. */
export const invitationScope = ({ organization }: InvitationDto): EventScope => ({
  organizationId: organization,
  projectId: null,
});
