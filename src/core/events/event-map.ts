import type { RequestOrigin } from '../../shared/policy/actor.js';
import type { BasicUserDto } from '../http/response/basic-user.dto.js';
import type { Snapshot } from '../versioning/representations.js';

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

/** An event with its object as created. */
export type Created<T extends object> = StoredEvent<T>;
/** An event with its object before and after the change. */
export type Updated<T extends object> = StoredEvent<T> & { readonly before: Snapshot<T> };
/** An event with its object as it was before deletion. */
export type Deleted<T extends object> = StoredEvent<T>;
/** An event for work that has finished. */
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

/** The organization and the project that an event belongs to. They determine who is notified. */
export interface EventScope {
  readonly organizationId: number | null;
  readonly projectId: number | null;
  /** The task and the job that the object belongs to, for the event log. */
  readonly taskId?: number | null;
  readonly jobId?: number | null;
}

/** What the event log needs to know about an event besides its objects. */
export interface EventContext extends Pick<EventScope, 'taskId' | 'jobId'> {
  /** The request that caused it. */
  readonly origin?: RequestOrigin | null;
}

/** For server-wide events. */
export const NO_SCOPE: EventScope = { organizationId: null, projectId: null };

/** The sender of a background-work event: shorter, as the contract requires. */
export interface BackgroundSender {
  readonly id: number;
  readonly username: string;
  readonly email: string;
}

export type EventSender = BasicUserDto | BackgroundSender;

/** An event to be written to the outbox. The part of its name after the colon is the key of the object in payloads. */
export interface EventRecord<T extends object = Readonly<Record<string, unknown>>> extends EventScope {
  readonly name: string;
  readonly objectId: number | string;
  /** Who caused it; null if unknown. */
  readonly sender: EventSender | null;
  /** The object as it is now, or as it was before deletion. */
  readonly after: Snapshot<T>;
  /** Only for updates. */
  readonly before?: Snapshot<T> | undefined;
  readonly context?: EventContext | null | undefined;
}

/** An event as the relay passes it to listeners. */
export interface StoredEvent<T extends object = Readonly<Record<string, unknown>>> extends EventRecord<T> {
  readonly id: number;
  readonly occurredAt: string;
  /** W3C trace context of the request that caused it. Only the relay and the event sink read it. */
  readonly traceparent?: string | null;
  /** The stored JSON of `after` and `before`, for listeners that pass it on. */
  readonly json?: { readonly after: string; readonly before: string | null };
}
