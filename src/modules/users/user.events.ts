import { declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, Updated } from '../../core/events/event-map.js';
import { UserDto } from './user.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:user': Created<UserDto>;
    'update:user': Updated<UserDto>;
    'delete:user': Deleted<UserDto>;
  }
}

declareEvents({
  resource: 'user',
  object: UserDto,
  operations: {
    create: 'An account is created: by registration, by inviting a new e-mail address, or on the command line',
    update: 'An account is updated, or an invited user completes the registration',
    delete: 'An account is deleted; the events of its memberships are sent first',
  },
  ofOrganizations: [],
  ofProjects: [],
});
