import type { StoredEvent } from '../../core/outbox/event-map.js';

declare module '../../core/outbox/event-map.js' {
  interface EventMap {
    'create:job': StoredEvent;
    'update:job': StoredEvent;
    'delete:job': StoredEvent;
  }
}

/** Events of this resource, by their wire names. */
export type JobEvent = StoredEvent<'create:job' | 'update:job' | 'delete:job'>;
