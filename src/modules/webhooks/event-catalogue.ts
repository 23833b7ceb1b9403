export {
  ALL_EVENTS,
  EVENTS,
  EVENTS_OF,
  resourceOf,
  WEBHOOK_TYPES,
  type WebhookType,
} from '../../core/outbox/event-catalogue.js';

/** The event that a webhook is asked to send about itself. Nobody subscribes to it. */
export const PING = 'ping';
