import { type CatalogueEvent, EVENTS } from '../../core/events/event-declaration.js';

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

/** The kinds of requests whose end CVAT's webhooks report, and the groups under which its clients list them. */
const CVAT_REQUESTS: Readonly<Record<string, string>> = {
  'export:annotations': 'Dataset export',
  'export:dataset': 'Dataset export',
  'export:backup': 'Backup export',
  'create:task': 'Task data creation',
  'merge:task': 'Consensus merge',
  'merge:job': 'Consensus merge',
  'calculate:quality': 'Quality report creation',
};

/** Further events that CVAT does not have. Those of extensions are listed with CVAT's. */
const NOT_IN_CVAT: readonly string[] = [
  'create:organization',
  'delete:organization',
  'update:annotations',
  'create:user',
  'update:user',
  'delete:user',
];

/**
 * Whether CVAT's clients see an event in the list. The others are listed separately, so that a client of CVAT that
 * subscribes to every listed event receives only events that it knows.
 */
export const isListed = ({ name, kind }: CatalogueEvent): boolean =>
  kind === null ? !NOT_IN_CVAT.includes(name) : Object.hasOwn(CVAT_REQUESTS, kind);

/** Whether version 2.0 lists an event: the end of requests came later, and the deletion of an organization went. */
export const isListedIn20 = (name: string): boolean =>
  name === 'delete:organization' ||
  EVENTS.some((event) => event.name === name && event.kind === null && isListed(event));

/** The heading under which clients list an event. */
export const groupOf = ({ resource, kind }: CatalogueEvent): string =>
  (resource === 'request' ? CVAT_REQUESTS[kind ?? ''] : undefined) ??
  `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
