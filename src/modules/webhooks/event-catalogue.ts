export const WEBHOOK_TYPES = ['organization', 'project'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const LIFE = ['create', 'update', 'delete'] as const;

/** What can happen to each resource, and whether project webhooks hear of the resource. */
const CATALOGUE = [
  { resource: 'project', operations: LIFE, ofProjects: ['update', 'delete'] },
  { resource: 'task', operations: LIFE, ofProjects: LIFE },
  { resource: 'job', operations: LIFE, ofProjects: LIFE },
  { resource: 'issue', operations: LIFE, ofProjects: LIFE },
  { resource: 'comment', operations: LIFE, ofProjects: LIFE },
  { resource: 'organization', operations: ['update', 'delete'], ofProjects: [] },
  { resource: 'invitation', operations: ['create', 'delete'], ofProjects: [] },
  { resource: 'membership', operations: LIFE, ofProjects: [] },
] as const;

const namesOf = (resource: string, operations: readonly string[]): string[] =>
  operations.map((operation) => `${operation}:${resource}`);

/** Names of the events that webhooks of a type may subscribe to, sorted. */
export const EVENTS_OF: Readonly<Record<WebhookType, readonly string[]>> = {
  organization: CATALOGUE.flatMap((entry) => namesOf(entry.resource, entry.operations)).sort(),
  project: CATALOGUE.flatMap((entry) => namesOf(entry.resource, entry.ofProjects)).sort(),
};

/** Every event there is, sorted: organization webhooks hear of all. */
export const ALL_EVENTS = EVENTS_OF.organization;

/** The event that a webhook is asked to send about itself. Nobody subscribes to it. */
export const PING = 'ping';

/** Key of the object in the payload of an event: `task` for `update:task`. */
export const resourceOf = (event: string): string => event.slice(event.indexOf(':') + 1);
