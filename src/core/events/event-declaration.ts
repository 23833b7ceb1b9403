import type { Type } from '@nestjs/common';
import type { ApiVersion } from '../versioning/accept.js';
import type { Operation } from './event-map.js';

/** The events of a resource, what they can belong to, and what they contain. */
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
  /** Operations whose events can belong to an organization, whose members can subscribe to them. Default: all operations. */
  readonly ofOrganizations?: readonly Operation[];
  /** Operations whose events can belong to a project. Default: all operations. */
  readonly ofProjects?: readonly Operation[];
  /**
   * The columns of the object's table whose changes updates report since API version 2.1, by their key in the object:
   * `{ assignee: 'assignee_id' }`. Other keys follow from other objects. Default: all keys, under their own names.
   */
  readonly columns?: ChangedColumns;
}

/** Keys of an object -> names of columns. */
export type ChangedColumns = Readonly<Record<string, string>>;

/** Columns that are named like their keys. */
export const columns = (...keys: readonly string[]): ChangedColumns =>
  Object.fromEntries(keys.map((key) => [key, key]));

/** An event that can be subscribed to. */
export interface CatalogueEvent {
  /** `create:task`, `completed:request[create:task]`, … */
  readonly name: string;
  readonly resource: string;
  readonly operation: Operation;
  readonly kind: string | null;
  readonly when: string;
  /** What it can belong to, other than the server. */
  readonly owners: readonly ('organization' | 'project')[];
  readonly columns: ChangedColumns | null;
  readonly object: Type<object>;
  readonly older: Partial<Readonly<Record<ApiVersion, Type<object>>>>;
}

/** The object in a payload, by API version. */
export type PayloadObject = Pick<EventDeclaration, 'object' | 'older'>;

const catalogue: CatalogueEvent[] = [];
const names: string[] = [];

/**
 * Every event, sorted by name. The list grows with each declaration, so read it when needed instead of copying it. The
 * same holds for the names.
 */
export const EVENTS: readonly CatalogueEvent[] = catalogue;

/** Names of all events, sorted. */
export const ALL_EVENTS: readonly string[] = names;

/** Declares the events of a resource. Repeating a declaration has no effect. */
export function declareEvents(declaration: EventDeclaration): void {
  const known = new Set(ALL_EVENTS);
  for (const event of eventsOf(declaration)) {
    if (known.has(event.name)) continue;
    catalogue.push(event);
    names.push(event.name);
  }
  catalogue.sort((a, b) => (a.name < b.name ? -1 : 1));
  names.sort();
}

/** The columns whose changes updates of a resource report; null: all keys. */
export const columnsOf = (resource: string): ChangedColumns | null =>
  catalogue.find((event) => event.resource === resource)?.columns ?? null;

/** Key of the object in the payload of an event: `task` for `update:task`. */
export const resourceOf = (event: string): string => event.slice(event.indexOf(':') + 1).replace(/\[.*$/, '');

function eventsOf(declaration: EventDeclaration): CatalogueEvent[] {
  const { resource, object, older = {}, kinds = [null] } = declaration;
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
      owners: [
        ...(ofOrganizations.includes(operation) ? (['organization'] as const) : []),
        ...(ofProjects.includes(operation) ? (['project'] as const) : []),
      ],
      columns: declaration.columns ?? null,
      object,
      older,
    })),
  );
}
