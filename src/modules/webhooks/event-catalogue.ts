export {
  ALL_EVENTS,
  EVENTS,
  EVENTS_OF,
  PING,
  resourceOf,
  WEBHOOK_TYPES,
  type WebhookType,
} from '../../core/events/event-declaration.js';
