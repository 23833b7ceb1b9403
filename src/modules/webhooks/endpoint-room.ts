import type { Room } from './delivery.queue.js';

export interface RoomLimits {
  /** Deliveries under way at a time in this process. */
  readonly total: number;
  /** Leased for one webhook, once it has shown that it answers. */
  readonly each: number;
}

/** What a webhook may have under way before it has answered once. */
const FIRST = 2;
/** Idle webhooks are remembered up to this number. */
const REMEMBERED = 1000;

interface Endpoint {
  active: number;
  limit: number;
  settings: EndpointSettings;
  /** Deliveries that may be begun now by the rate; grows with time up to one second's worth. */
  tokens: number;
  /** When the tokens were counted, in milliseconds. */
  counted: number;
}

/** What a webhook asks for; null: no limit of its own. */
export interface EndpointSettings {
  readonly max_concurrency: number | null;
  /** Deliveries begun in a second, in this process. */
  readonly rate_limit: number | null;
}

const UNLIMITED: EndpointSettings = { max_concurrency: null, rate_limit: null };

/**
 * How many deliveries each webhook may have under way. Every success makes room for one more, a failure halves the
 * room, so a receiver that hangs holds one or two of the places and not all of them.
 */
export class EndpointRoom {
  private readonly endpoints = new Map<number, Endpoint>();
  private active = 0;

  constructor(private readonly limits: RoomLimits) {}

  /** What may be begun now. @param now monotonic milliseconds */
  room(now: number): Room {
    const known = [...this.endpoints].map(([id, endpoint]) => [id, roomOf(endpoint, now)] as const);
    return {
      total: this.limits.total - this.active,
      each: Math.min(FIRST, this.limits.each),
      ofWebhook: new Map(known),
    };
  }

  begin(webhookId: number, now: number, settings: EndpointSettings = UNLIMITED): void {
    const endpoint = this.endpoints.get(webhookId) ?? {
      active: 0,
      limit: Math.min(FIRST, this.limits.each),
      settings,
      tokens: settings.rate_limit ?? 0,
      counted: now,
    };
    refill(endpoint, now);
    endpoint.settings = settings;
    endpoint.tokens = Math.max(0, endpoint.tokens - 1);
    endpoint.active += 1;
    this.active += 1;
    this.endpoints.set(webhookId, endpoint);
  }

  /** @param success null when nothing was learned about the receiver */
  end(webhookId: number, success: boolean | null): void {
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return;
    endpoint.active -= 1;
    this.active -= 1;
    if (success === true) endpoint.limit = Math.min(this.limits.each, endpoint.limit + 1);
    if (success === false) endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
    if (endpoint.active === 0 && this.endpoints.size > REMEMBERED) this.endpoints.delete(webhookId);
  }
}

function refill(endpoint: Endpoint, now: number): void {
  const rate = endpoint.settings.rate_limit ?? 0;
  endpoint.tokens = Math.min(rate, endpoint.tokens + (rate * (now - endpoint.counted)) / 1000);
  endpoint.counted = now;
}

function roomOf(endpoint: Endpoint, now: number): number {
  refill(endpoint, now);
  const { max_concurrency: most, rate_limit: rate } = endpoint.settings;
  const places = Math.min(endpoint.limit, most ?? Infinity) - endpoint.active;
  return Math.max(0, rate === null ? places : Math.min(places, Math.floor(endpoint.tokens)));
}
