import { Client } from 'undici';
import { GuardedConnection, newTrace } from './connection.js';
import type { ConnectionSettings, ConnectionTrace, Target } from './connection.js';
import type { Ending, Exchange } from './exchange.js';
import { stopped } from './failure.js';
import { InterimResponses, withoutInterimResponses } from './interim-responses.js';

/** Limits of the connections to one endpoint. */
export interface PoolLimits {
  /** Concurrent requests to one endpoint; others wait. */
  connections: number;
  /** How long an idle connection is kept, in milliseconds. The receiver's `Keep-Alive: timeout` shortens it. */
  keepAliveMs: number;
  /** Maximum size of the response headers in bytes. */
  headerBytes: number;
}

/** A connection, or the place for one: undici's client opens it when needed, and reopens it after it was closed. */
interface Slot {
  readonly client: Client;
  trace: ConnectionTrace;
  /** The connection that is being opened. */
  opening: GuardedConnection | null;
  exchange: Exchange | null;
  readonly responses: InterimResponses;
}

/**
 * The connections to one endpoint, each with one request at a time. undici's own Pool does not report which connection
 * a request uses, and loses a client whose connection failed while requests wait for it.
 */
export class EndpointPool {
  private readonly idle: Slot[] = [];
  private readonly busy = new Map<Exchange, Slot>();
  private waiting: Exchange[] = [];
  private destroyed = false;

  constructor(
    private readonly target: Target,
    private readonly settings: ConnectionSettings,
    private readonly limits: PoolLimits,
  ) {}

  /** Sends an exchange on a free connection, or as soon as one is free. */
  submit(exchange: Exchange): void {
    const slot = this.idle.pop() ?? (this.busy.size < this.limits.connections ? this.newSlot() : undefined);
    if (slot) this.start(slot, exchange);
    else this.waiting.push(exchange);
  }

  /** Must be called when an exchange has ended, even if it was never sent. */
  release(exchange: Exchange, ending: Ending): void {
    const slot = this.busy.get(exchange);
    if (slot === undefined) return;
    this.busy.delete(exchange);
    slot.exchange = null;
    if (ending === 'destroy-connection' || this.destroyed) void discard(slot);
    else this.idle.push(slot);

    let next = this.waiting.shift();
    while (next?.isSettled === true) next = this.waiting.shift();
    if (next) this.submit(next);
  }

  /** Repeats an exchange on a new connection. Closes idle connections, which are as old as the one that failed. */
  repeat(exchange: Exchange): boolean {
    const slot = this.busy.get(exchange);
    if (slot === undefined || this.destroyed) return false;
    void discard(slot);
    for (const old of this.idle.splice(0)) void discard(old);
    this.start(this.newSlot(), exchange);
    return true;
  }

  /** Fails all running and waiting exchanges as `stopped`. Resolves when the connections are closed. */
  async destroy(): Promise<void> {
    this.destroyed = true;
    const slots = [...this.busy.values(), ...this.idle.splice(0)];
    const exchanges = [...this.waiting, ...this.busy.keys()];
    this.waiting = [];
    for (const exchange of exchanges) exchange.fail(stopped());
    await Promise.all(slots.map(discard));
  }

  private start(slot: Slot, exchange: Exchange): void {
    slot.exchange = exchange;
    slot.responses.expectResponse();
    exchange.trace = slot.trace;
    this.busy.set(exchange, slot);
    slot.client.dispatch(exchange.options, exchange);
  }

  private newSlot(): Slot {
    const client = new Client(this.target.origin, {
      connect: (_options, done) => {
        slot.trace = newTrace();
        if (slot.exchange) slot.exchange.trace = slot.trace;
        slot.responses.expectResponse();
        slot.opening = new GuardedConnection(this.target, this.settings, slot.trace, (failure, socket) => {
          slot.opening = null;
          if (socket) done(null, withoutInterimResponses(socket, slot.responses));
          else done(failure ?? stopped(), null);
        });
      },
      pipelining: 1,
      keepAliveTimeout: this.limits.keepAliveMs,
      keepAliveMaxTimeout: this.limits.keepAliveMs,
      maxHeaderSize: this.limits.headerBytes,
      // Exchanges have their own timer: undici's timers have a resolution of half a second.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const slot: Slot = { client, trace: newTrace(), opening: null, exchange: null, responses: new InterimResponses() };
    return slot;
  }
}

async function discard(slot: Slot): Promise<void> {
  slot.opening?.abort(stopped());
  await slot.client.destroy();
}
