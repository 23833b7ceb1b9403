import type { StoredEvent } from '../../core/outbox/event-map.js';

declare module '../../core/outbox/event-map.js' {
  interface EventMap {
    'create:issue': StoredEvent;
    'update:issue': StoredEvent;
    'delete:issue': StoredEvent;
  }
}

/** Events of this resource, by their wire names. */
export type IssueEvent = StoredEvent<'create:issue' | 'update:issue' | 'delete:issue'>;
