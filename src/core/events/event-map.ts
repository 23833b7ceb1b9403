import type { BasicUserDto } from '../http/basic-user.dto.js';

/**
 * Every event by its wire name. Each resource declares its own in `<resource>.events.ts`:
 *
 *     declare module '../../core/events/event-map.js' {
 *       interface EventMap {
 *         'create:job': Created<JobDto>;
 *         'update:job': Updated<JobDto>;
 *         'delete:job': Deleted<JobDto>;
 *       }
 *     }
 */
// eslint-disable-next-line @typescript-eslint/no-empty-interface
export interface EventMap {}

/** An event whose object is as it is after its creation. */
export type Created<T extends object> = StoredEvent<T>;
/** An event with its object before and after. */
export type Updated<T extends object> = StoredEvent<T> & { readonly before: Snapshot<T> };
/** An event whose object is as it was before its deletion. */
export type Deleted<T extends object> = StoredEvent<T>;
/** An event of work that has ended. */
export type Completed<T extends object> = StoredEvent<T>;

export type Operation = 'create' | 'update' | 'delete' | 'completed';

/** The resources that have an event of the operation. */
export type ResourceWith<Op extends Operation> = keyof EventMap extends infer Name
  ? Name extends `${Op}:${infer Resource}`
    ? Resource
    : never
  : never;

/** The object of an event. */
export type ObjectOf<Op extends Operation, Resource extends string> = `${Op}:${Resource}` extends keyof EventMap
  ? EventMap[`${Op}:${Resource}`] extends StoredEvent<infer T>
    ? T
    : never
  : never;

/** The organization and the project that an event belongs to. They decide who is notified of it. */
export interface EventScope {
  readonly organizationId: number | null;
  readonly projectId: number | null;
}

/** For events that belong to the server as a whole. */
export const NO_SCOPE: EventScope = { organizationId: null, projectId: null };

/** A wire object in the newest API version, with what older versions need in addition. */
export interface Snapshot<T extends object = Readonly<Record<string, unknown>>> {
  readonly object: T;
  /** Parts that only other API versions show, such as embedded labels. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** The sender of an event of background work: a shorter form, as the contract has it. */
export interface BackgroundSender {
  readonly id: number;
  readonly username: string;
  readonly email: string;
}

export type EventSender = BasicUserDto | BackgroundSender;

/** An event as it is written to the outbox. The part of its name after the colon is the key of the object in payloads. */
export interface EventRecord<T extends object = Readonly<Record<string, unknown>>> extends EventScope {
  readonly name: string;
  readonly objectId: number | string;
  /** Who caused it; null when nobody is known. */
  readonly sender: EventSender | null;
  /** The object as it is now, or as it was before its deletion. */
  readonly after: Snapshot<T>;
  /** Only for updates. */
  readonly before?: Snapshot<T> | undefined;
}

/** An event as the relay hands it to listeners. */
export interface StoredEvent<T extends object = Readonly<Record<string, unknown>>> extends EventRecord<T> {
  readonly id: number;
  readonly occurredAt: string;
  /** `after` and `before` as they were written, for listeners that pass them on. */
  readonly json?: { readonly after: string; readonly before: string | null };
}
