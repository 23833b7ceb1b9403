import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { OrganizationDto } from './organization.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:organization': Created<OrganizationDto>;
    'update:organization': Updated<OrganizationDto>;
    'delete:organization': Deleted<OrganizationDto>;
  }
}

declareEvents({
  resource: 'organization',
  object: OrganizationDto,
  operations: {
    create: 'An organization is created, with its owner as the first member',
    update: 'An organization is updated or transferred',
    delete:
      'An organization is deleted; the events of its invitations are sent first. No events are sent for its memberships',
  },
  ofOrganizations: ['update', 'delete'],
  ofProjects: [],
  columns: {
    ...columns('slug', 'name', 'description', 'created_date', 'updated_date', 'contact'),
    owner: 'owner_id',
  },
});

/** The scope of events about an organization. */
export const organizationScope = ({ id }: OrganizationDto): EventScope => ({ organizationId: id, projectId: null });
