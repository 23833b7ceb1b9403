import type { StoredEvent } from '../../core/outbox/event-map.js';

declare module '../../core/outbox/event-map.js' {
  interface EventMap {
    'create:comment': StoredEvent;
    'update:comment': StoredEvent;
    'delete:comment': StoredEvent;
  }
}

/** Events of this resource, by their wire names. */
export type CommentEvent = StoredEvent<'create:comment' | 'update:comment' | 'delete:comment'>;
