import type { WebhookEventsDto } from './webhook.dto.js';
import { EVENTS, WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';

/** What can be asked for: the events of a type of webhook, or all. */
export const EVENT_LISTS = ['all', ...WEBHOOK_TYPES] as const;

/**
 * Events as they are listed. Those that came after the API's version stand apart, so that clients which subscribe to
 * everything they are shown get what they know. Webhooks of the server came with the newer events, and have one list.
 */
export function listOfEvents(type: WebhookType | 'all'): WebhookEventsDto {
  const heard = EVENTS.filter((event) => type === 'all' || event.types.includes(type));
  const isApart = (newer: boolean): boolean => newer && type !== 'server';
  return {
    webhook_type: type,
    events: heard.filter((event) => !isApart(event.isNewer)).map((event) => event.name),
    newer_events: heard.filter((event) => isApart(event.isNewer)).map((event) => event.name),
  };
}
