import type { Type } from '@nestjs/common';
import type { ApiVersion } from '../versioning/accept.js';

/** What a webhook can belong to. */
export const WEBHOOK_TYPES = ['organization', 'project', 'server'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export type Operation = 'create' | 'update' | 'delete' | 'completed';

/**
 * The events of a resource, who is notified of them and what the payload contains. Server webhooks receive all events;
 * a webhook of an organization or project receives the events of that organization or project.
 */
export interface EventDeclaration {
  /** Key of the object in payloads: `task` for `create:task`, … */
  readonly resource: string;
  /** The object in payloads, in the newest API version. `@ApiProperty` documents its properties. */
  readonly object: Type<object>;
  /** The object in older versions, where it differs. */
  readonly older?: Partial<Readonly<Record<ApiVersion, Type<object>>>>;
  /** When each operation is reported, for the documentation: a sentence without its full stop. */
  readonly operations: Partial<Readonly<Record<Operation, string>>>;
  /** Types of the operation that are part of the event name: `create:task` gives `completed:request[create:task]`. */
  readonly kinds?: readonly string[];
  /** Operations that webhooks of organizations can subscribe to. Default: all operations. */
  readonly ofOrganizations?: readonly Operation[];
  /** Operations that webhooks of projects can subscribe to. Default: all operations. */
  readonly ofProjects?: readonly Operation[];
  /** Operations that no released API version has listed so far. Default: none. */
  readonly newer?: readonly Operation[];
}

/** An event that webhooks can subscribe to. */
export interface CatalogueEvent {
  /** `create:task`, `completed:request[create:task]`, … */
  readonly name: string;
  readonly resource: string;
  readonly operation: Operation;
  readonly kind: string | null;
  readonly when: string;
  /** Types of the webhooks that receive it. */
  readonly types: readonly WebhookType[];
  readonly isNewer: boolean;
  readonly object: Type<object>;
  readonly older: Partial<Readonly<Record<ApiVersion, Type<object>>>>;
}

/** The event that a webhook sends about itself to test the target. It cannot be subscribed to. */
export const PING = 'ping';

/** The object in a payload, by API version. */
export type PayloadObject = Pick<EventDeclaration, 'object' | 'older'>;

const catalogue: CatalogueEvent[] = [];
let pinged: PayloadObject | undefined;
const names: Readonly<Record<WebhookType, string[]>> = { organization: [], project: [], server: [] };

/**
 * Every event, sorted by name. The list grows with each declaration, so read it when needed instead of copying it. The
 * same holds for the next two.
 */
export const EVENTS: readonly CatalogueEvent[] = catalogue;

/** Names of the events that webhooks of a type can subscribe to, sorted. */
export const EVENTS_OF: Readonly<Record<WebhookType, readonly string[]>> = names;

/** Names of all events, sorted. */
export const ALL_EVENTS: readonly string[] = names.server;

/** Lets webhooks subscribe to the events of a resource. Repeating a declaration has no effect. */
export function declareEvents(declaration: EventDeclaration): void {
  const known = new Set(ALL_EVENTS);
  for (const event of eventsOf(declaration)) {
    if (known.has(event.name)) continue;
    catalogue.push(event);
    for (const type of event.types) names[type].push(event.name);
  }
  catalogue.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const list of Object.values(names)) list.sort();
}

/** Declares the object in the payload of a ping. */
export function declarePing(object: PayloadObject): void {
  pinged = object;
}

/** @returns undefined until a ping is declared */
export const pingObject = (): PayloadObject | undefined => pinged;

/** Key of the object in the payload of an event: `task` for `update:task`. */
export const resourceOf = (event: string): string => event.slice(event.indexOf(':') + 1).replace(/\[.*$/, '');

function eventsOf(declaration: EventDeclaration): CatalogueEvent[] {
  const { resource, object, older = {}, kinds = [null], newer = [] } = declaration;
  const operations = Object.entries(declaration.operations) as [Operation, string][];
  const every = operations.map(([operation]) => operation);
  const { ofOrganizations = every, ofProjects = every } = declaration;
  return operations.flatMap(([operation, when]) =>
    kinds.map((kind) => ({
      name: `${operation}:${resource}${kind === null ? '' : `[${kind}]`}`,
      resource,
      operation,
      kind,
      when,
      types: [
        ...(ofOrganizations.includes(operation) ? (['organization'] as const) : []),
        ...(ofProjects.includes(operation) ? (['project'] as const) : []),
        'server' as const,
      ],
      isNewer: newer.includes(operation),
      object,
      older,
    })),
  );
}
