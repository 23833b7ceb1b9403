import { EVENTS } from '../../core/events/event-declaration.js';

/** What a webhook can belong to. */
export const WEBHOOK_TYPES = ['organization', 'project', 'server'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** The event that a webhook sends about itself to test the target. It cannot be subscribed to. */
export const PING = 'ping';

/**
 * Whether webhooks of a type can subscribe to an event. Server webhooks receive all events; a webhook of an organization or
 * project receives the events of that organization or project.
 */
export const canReceive = (type: WebhookType, event: string): boolean =>
  EVENTS.some(({ name, owners }) => name === event && (type === 'server' || owners.includes(type)));

/** Names of the events that webhooks of a type can subscribe to, sorted. Extensions add events when they are loaded. */
export const eventsOf = (type: WebhookType): readonly string[] =>
  EVENTS.filter(({ owners }) => type === 'server' || owners.includes(type)).map(({ name }) => name);
