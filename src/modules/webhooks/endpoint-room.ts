import type { Room } from './delivery.queue.js';

export interface RoomLimits {
  /** Deliveries being sent at a time in this process. */
  readonly total: number;
  /** Deliveries being sent at a time to one webhook, once it has shown that it answers. */
  readonly each: number;
}

/** Deliveries of a quick receiver are leased ahead, so that none waits for the next lease: as many as it takes in this time… */
const AHEAD_MS = 250;
/** … and at most so many times those being sent. */
const AHEAD = 7;
/** Of all webhooks together so many times those being sent are leased at most. */
const LEASED = 4;
/** The weight of one answer in the time that a receiver is taken to need. */
const SMOOTHING = 1 / 16;

/** What a webhook may have under way before it has answered once. */
const FIRST = 2;
/** Idle webhooks are remembered up to this number. */
const REMEMBERED = 1000;

interface Endpoint {
  /** Leased: being sent, or waiting for that. */
  active: number;
  limit: number;
  /** Milliseconds until the receiver has answered, smoothed; null: not known. */
  pace: number | null;
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
 * room, so a receiver that hangs holds one or two of the places and not all of them. What is leased ahead takes nobody's
 * place.
 */
export class EndpointRoom {
  private readonly endpoints = new Map<number, Endpoint>();
  /** Leased deliveries, and those of them that are being sent. */
  private active = 0;
  private sending = 0;

  constructor(private readonly limits: RoomLimits) {}

  /** What may be begun now. @param now monotonic milliseconds */
  room(now: number): Room {
    const known = [...this.endpoints].map(([id, endpoint]) => [id, this.roomOf(endpoint, now)] as const);
    return {
      total: Math.min(this.limits.total - this.sending, LEASED * this.limits.total - this.active),
      each: Math.min(FIRST, this.limits.each),
      ofWebhook: new Map(known),
    };
  }

  begin(webhookId: number, now: number, settings: EndpointSettings = UNLIMITED): void {
    const endpoint = this.endpoints.get(webhookId) ?? {
      active: 0,
      limit: Math.min(FIRST, this.limits.each),
      pace: null,
      settings,
      tokens: settings.rate_limit ?? 0,
      counted: now,
    };
    refill(endpoint, now);
    endpoint.settings = settings;
    endpoint.tokens = Math.max(0, endpoint.tokens - 1);
    if (endpoint.active < this.limits.each) this.sending += 1;
    endpoint.active += 1;
    this.active += 1;
    this.endpoints.set(webhookId, endpoint);
  }

  /** @param success null when nothing was learned about the receiver @param duration of the try, in milliseconds */
  end(webhookId: number, success: boolean | null, duration = 0): void {
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return;
    endpoint.active -= 1;
    this.active -= 1;
    if (endpoint.active < this.limits.each) this.sending -= 1;
    if (success !== null) endpoint.pace = smoothed(endpoint.pace, duration);
    if (success === true) endpoint.limit = Math.min(this.mostOf(endpoint), endpoint.limit + 1);
    if (success === false) endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
    if (endpoint.active === 0 && this.endpoints.size > REMEMBERED) this.endpoints.delete(webhookId);
  }

  /** How many more are leased than there is room for, after failures. */
  excess(webhookId: number): number {
    const endpoint = this.endpoints.get(webhookId);
    return endpoint === undefined ? 0 : Math.max(0, endpoint.active - endpoint.limit);
  }

  /** What may be leased of a webhook whose receiver answers well. */
  private mostOf({ pace }: Endpoint): number {
    const { each } = this.limits;
    return pace === null ? each : each + Math.floor(each * Math.min(AHEAD, AHEAD_MS / pace));
  }

  private roomOf(endpoint: Endpoint, now: number): number {
    refill(endpoint, now);
    const { max_concurrency: most, rate_limit: rate } = endpoint.settings;
    const places = Math.min(endpoint.limit, most ?? Infinity) - endpoint.active;
    return Math.max(0, rate === null ? places : Math.min(places, Math.floor(endpoint.tokens)));
  }
}

const smoothed = (before: number | null, value: number): number =>
  before === null ? value : before + (value - before) * SMOOTHING;

function refill(endpoint: Endpoint, now: number): void {
  const rate = endpoint.settings.rate_limit ?? 0;
  endpoint.tokens = Math.min(rate, endpoint.tokens + (rate * (now - endpoint.counted)) / 1000);
  endpoint.counted = now;
}
