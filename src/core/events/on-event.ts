import { OnEvent as OnEmitted } from '@nestjs/event-emitter';
import type { Tx } from '../database/tx.js';
import type { EventMap, StoredEvent } from './event-map.js';

/** The name under which the relay emits a whole batch. */
export const EVENT_BATCH = 'outbox.events';

/**
 * Calls the method with each committed event of the name, in the transaction of the relay: what the method writes through
 * `tx` is committed together with the fact that the event was handled. If it throws, the event stays pending and is
 * handed out again, so a listener must accept the same event twice. Effects outside the database go to `tx.afterCommit`.
 */
export const OnEvent =
  <Name extends keyof EventMap>(name: Name) =>
  <M extends (event: EventMap[Name], tx: Tx) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    void OnEmitted(name, { suppressErrors: false })(target, property, descriptor);

/**
 * The same for all events, a batch at a time and in their order, for listeners whose number of statements must not grow
 * with the number of events.
 */
export const OnEventBatch =
  () =>
  <M extends (events: readonly StoredEvent[], tx: Tx) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    void OnEmitted(EVENT_BATCH, { suppressErrors: false })(target, property, descriptor);
