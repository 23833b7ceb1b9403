import { OnEvent as OnEmitted } from '@nestjs/event-emitter';
import type { Tx } from '../database/tx.js';
import { methodHook } from '../discovery/discovery.js';
import type { Config } from '../../config/config.js';
import type { EventMap, StoredEvent } from './event-map.js';

/** Returned by a listener as long as it makes no difference to it whether events arrive a moment later. */
export const NOT_URGENT = Symbol('not urgent');

export interface ListenerOptions {
  /**
   * What the listener's position in the outbox is stored under. Default: the names of class and method. A listener with
   * another name is a new one: it gets the events from then on.
   */
  readonly listener?: string;
  /** Whether there is anything to do for the listener. Without it, it is as if it did not exist. Default: always. */
  readonly isWanted?: (config: Config) => boolean;
}

/** What a listener may need to know besides the events. */
export interface ListenerContext {
  /** The event was in quarantine: later events may have been handled before it. */
  readonly isLate: boolean;
}

/** Something that is called with events. Methods with several decorators get the events of all of them. */
export interface ListenerMark extends ListenerOptions {
  readonly listener: string;
  /** Name of the events; null: all events, in batches. */
  readonly event: string | null;
  readonly isOfExtension: boolean;
  /** The event of Nest's emitter that calls the method, one for each method. */
  readonly emitted: symbol;
}

export const ListensToEvents = methodHook<ListenerMark, (given: never, tx: Tx, context: ListenerContext) => unknown>();

const emittedOf = new WeakMap<object, symbol>();

/** Registers a method as a listener. */
function listen<M extends (given: never, tx: Tx, context: ListenerContext) => unknown>(
  event: string | null,
  options: ListenerOptions & Pick<ListenerMark, 'isOfExtension'>,
  ...[target, property, descriptor]: [object, string | symbol, TypedPropertyDescriptor<M>]
): void {
  const listener = options.listener ?? `${target.constructor.name}.${String(property)}`;
  const method = descriptor.value as object;
  const emitted = emittedOf.get(method) ?? Symbol(listener);
  if (!emittedOf.has(method)) OnEmitted(emitted, { suppressErrors: false })(target, property, descriptor);
  emittedOf.set(method, emitted);
  ListensToEvents({ ...options, event, listener, emitted })(target, property, descriptor);
}

const onEvent =
  (isOfExtension: boolean) =>
  <Name extends keyof EventMap>(name: Name, options: ListenerOptions = {}) =>
  <M extends (event: EventMap[Name], tx: Tx, context: ListenerContext) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    listen(name, { ...options, isOfExtension }, target, property, descriptor);

const onEventBatch =
  (isOfExtension: boolean) =>
  (options: ListenerOptions = {}) =>
  <M extends (events: readonly StoredEvent[], tx: Tx, context: ListenerContext) => unknown>(
    target: object,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void =>
    listen(null, { ...options, isOfExtension }, target, property, descriptor);

/**
 * Calls the method with each committed event of the name, in order, in a transaction of the listener: writes through
 * `tx` are committed together with its position. If the method throws, nothing of this is committed, and the event is
 * delivered again, so a listener must accept the same event twice. After several attempts, the event is put into
 * quarantine, and the listener goes on with the next one. Other listeners are not affected. Register effects outside the
 * database with `tx.afterCommit`. Return `NOT_URGENT` if the next event may come a moment later: frequent changes then
 * cost less.
 */
export const OnEvent = onEvent(false);

/**
 * Calls the method with all events, in order and one batch at a time. For listeners whose number of statements must not
 * grow with the number of events. After a batch that throws, the method gets its events one at a time.
 */
export const OnEventBatch = onEventBatch(false);

/** `OnEvent` of extensions. */
export const OnEventInExtension = onEvent(true);

/** `OnEventBatch` of extensions. */
export const OnEventBatchInExtension = onEventBatch(true);
