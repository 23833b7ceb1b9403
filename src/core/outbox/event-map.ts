import type { BasicUserDto } from '../http/basic-user.dto.js';

/** A wire object in the newest API version, with what older versions need beside it. */
export interface Snapshot {
  readonly object: Readonly<Record<string, unknown>>;
  /** Parts that only other API versions show, such as embedded labels. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Who caused an event of background work: a shorter form, as the contract has it. */
export interface BackgroundSender {
  readonly id: number;
  readonly username: string;
  readonly email: string;
}

export type EventSender = BasicUserDto | BackgroundSender;

/**
 * One thing that happened, as it is kept in the outbox. The name is the wire name (`update:task`); the part behind the
 * colon is the key of the object in payloads.
 */
export interface EventRecord<Name extends string = string> {
  readonly name: Name;
  readonly objectId: number | string;
  /** Who caused it; null when nobody is known. */
  readonly sender: EventSender | null;
  readonly organizationId: number | null;
  readonly projectId: number | null;
  /** The object as it is now, or as it was before its deletion. */
  readonly after: Snapshot;
  /** Only for updates. */
  readonly before?: Snapshot | undefined;
}

/** An event as the relay hands it to listeners. */
export interface StoredEvent<Name extends string = string> extends EventRecord<Name> {
  readonly id: number;
  readonly occurredAt: string;
  /** `after` and `before` as they were written, for who passes them on. */
  readonly json?: { readonly after: string; readonly before: string | null };
}
