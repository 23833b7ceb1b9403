import { OnEvent as OnEmitted } from '@nestjs/event-emitter';
import type { Tx } from '../database/tx.js';
import type { EventMap, StoredEvent } from './event-map.js';

/** The name under which the relay emits whole batches. */
export const EVENT_BATCH = 'outbox.events';

/**
 * Calls the method with each committed event of the name, in the relay's transaction: writes through `tx` are committed
 * together with the mark that the event was handled. If the method throws, the event stays pending and is delivered
 * again, so a listener must accept the same event twice. Register effects outside the database with `tx.afterCommit`.
 * Return `NOT_URGENT` if the next event may come a moment later: frequent changes then cost less.
 */
export const OnEvent =
  <Name extends keyof EventMap>(name: Name) =>
  <M extends (event: EventMap[Name], tx: Tx) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    void OnEmitted(name, { suppressErrors: false })(target, property, descriptor);

/** Returned by a listener as long as it makes no difference to it whether events arrive a moment later. */
export const NOT_URGENT = Symbol('not urgent');

/**
 * Calls the method with all events, in order and one batch at a time. For listeners whose number of statements must not
 * grow with the number of events. If all of them return `NOT_URGENT`, the next batch begins a moment later.
 */
export const OnEventBatch =
  () =>
  <M extends (events: readonly StoredEvent[], tx: Tx) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    void OnEmitted(EVENT_BATCH, { suppressErrors: false })(target, property, descriptor);
