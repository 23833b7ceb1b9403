/** What webhooks can belong to. */
export const WEBHOOK_TYPES = ['organization', 'project'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export type Operation = 'create' | 'update' | 'delete';

/** What can happen to a resource, and which of it project webhooks hear of: organization webhooks hear of all. */
export interface EventDeclaration {
  /** Key of the object in payloads: `task` gives `create:task`, … */
  readonly resource: string;
  readonly operations: readonly Operation[];
  /** Default: all of them. */
  readonly ofProjects?: readonly Operation[];
}

const events: Readonly<Record<WebhookType, string[]>> = { organization: [], project: [] };

/**
 * Names of the events that webhooks of a type may subscribe to, sorted. The lists are of the whole process and grow when
 * something is declared, so they are to be asked and not copied.
 */
export const EVENTS_OF: Readonly<Record<WebhookType, readonly string[]>> = events;

/** Lets webhooks subscribe to the events of a resource. Declaring the same again changes nothing. */
export function declareEvents({ resource, operations, ofProjects = operations }: EventDeclaration): void {
  add(events.organization, resource, operations);
  add(events.project, resource, ofProjects);
}

function add(names: string[], resource: string, operations: readonly Operation[]): void {
  const fresh = operations.map((operation) => `${operation}:${resource}`).filter((name) => !names.includes(name));
  names.push(...fresh);
  names.sort();
}
