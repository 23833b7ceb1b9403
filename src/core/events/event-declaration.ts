import type { Type } from '@nestjs/common';
import type { ApiVersion } from '../versioning/accept.js';

/** What webhooks can belong to. */
export const WEBHOOK_TYPES = ['organization', 'project', 'server'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export type Operation = 'create' | 'update' | 'delete' | 'completed';

/**
 * What can happen to a resource, who hears of it and what the payload shows. Webhooks of the server hear of everything;
 * a webhook of an organization or a project hears of what happens there.
 */
export interface EventDeclaration {
  /** Key of the object in payloads: `task` gives `create:task`, … */
  readonly resource: string;
  /** The object in payloads, in the newest API version. Its properties are documented with `@ApiProperty`. */
  readonly object: Type<object>;
  /** The object in older versions, where it differs. */
  readonly older?: Partial<Readonly<Record<ApiVersion, Type<object>>>>;
  /** When each operation is told, for a person: a sentence without its full stop. */
  readonly operations: Partial<Readonly<Record<Operation, string>>>;
  /** Kinds of the operation that are part of the name: `create:task` gives `completed:request[create:task]`. */
  readonly kinds?: readonly string[];
  /** What webhooks of organizations can subscribe to. Default: all operations. */
  readonly ofOrganizations?: readonly Operation[];
  /** What webhooks of projects can subscribe to. Default: all operations. */
  readonly ofProjects?: readonly Operation[];
  /** Operations that no API version so far has listed. Default: none. */
  readonly newer?: readonly Operation[];
}

/** One event that webhooks can subscribe to. */
export interface CatalogueEvent {
  /** `create:task`, `completed:request[create:task]`, … */
  readonly name: string;
  readonly resource: string;
  readonly operation: Operation;
  readonly kind: string | null;
  readonly when: string;
  /** Which webhooks hear of it. */
  readonly types: readonly WebhookType[];
  readonly isNewer: boolean;
  readonly object: Type<object>;
  readonly older: Partial<Readonly<Record<ApiVersion, Type<object>>>>;
}

/** The event that a webhook is asked to send about itself. Nobody subscribes to it. */
export const PING = 'ping';

/** What a payload shows in each API version. */
export type PayloadObject = Pick<EventDeclaration, 'object' | 'older'>;

const catalogue: CatalogueEvent[] = [];
let pinged: PayloadObject | undefined;
const names: Readonly<Record<WebhookType, string[]>> = { organization: [], project: [], server: [] };

/** Every event, sorted by name. Grows when something is declared, so it is to be asked and not copied; as the next two. */
export const EVENTS: readonly CatalogueEvent[] = catalogue;

/** Names of the events that webhooks of a type may subscribe to, sorted. */
export const EVENTS_OF: Readonly<Record<WebhookType, readonly string[]>> = names;

/** Names of all events, sorted. */
export const ALL_EVENTS: readonly string[] = names.server;

/** Lets webhooks subscribe to the events of a resource. Declaring the same again changes nothing. */
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

/** What a ping shows. */
export function declarePing(object: PayloadObject): void {
  pinged = object;
}

/** @returns undefined as long as nothing sends pings */
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
