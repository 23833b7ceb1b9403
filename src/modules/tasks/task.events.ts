import type { StoredEvent } from '../../core/outbox/event-map.js';

declare module '../../core/outbox/event-map.js' {
  interface EventMap {
    'create:task': StoredEvent;
    'update:task': StoredEvent;
    'delete:task': StoredEvent;
  }
}

/** Events of this resource, by their wire names. */
export type TaskEvent = StoredEvent<'create:task' | 'update:task' | 'delete:task'>;
