import type { StoredEvent } from '../../core/outbox/event-map.js';

declare module '../../core/outbox/event-map.js' {
  interface EventMap {
    'create:project': StoredEvent;
    'update:project': StoredEvent;
    'delete:project': StoredEvent;
  }
}

/** Events of this resource, by their wire names. */
export type ProjectEvent = StoredEvent<'create:project' | 'update:project' | 'delete:project'>;
