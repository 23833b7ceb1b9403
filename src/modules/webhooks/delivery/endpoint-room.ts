import type { Capacity, ReceiverState } from './delivery.queue.js';

export interface RoomLimits {
  /** Maximum deliveries in flight in this process. */
  readonly total: number;
  /** Maximum deliveries in flight to one webhook that has responded. */
  readonly each: number;
}

/** Leased ahead for a quick receiver: the deliveries that it accepts in this time. */
const AHEAD_MS = 250;
/** Maximum number of deliveries leased ahead, as a multiple of those being sent. */
const AHEAD = 7;
/** Maximum number of deliveries leased for all webhooks together, as a multiple of those being sent. */
const LEASED = 4;
/** The weight of one response in the smoothed response time. */
const SMOOTHING = 1 / 16;

/** A receiver is slow if its smoothed response time, or its last failure, is longer than this. */
const SLOW_MS = 2000;
/**
 * A receiver with deliveries in flight is also slow (silent) if none has ended for this time and for `SILENT_PACES` times
 * its smoothed response time.
 */
const SILENT_MS = 1000;
const SILENT_PACES = 2;
/** The share of all places that slow receivers have together, and that untried receivers have together. */
const SHARE = 1 / 4;
/** The maximum share of slow and untried receivers together. Untried receivers that become silent count as slow. */
const DOUBTFUL_SHARE = 3 / 4;
/** The share of all places, within `DOUBTFUL_SHARE`, that is reserved for the newest untried receivers. */
const NEWEST_SHARE = 1 / 8;
/** A reserved place is given away once in this time, and less often as the reserved places fill up. */
const NEWEST_MS = 500;

/** The limit of a webhook before its first response. */
const FIRST = 2;
/** The number of idle webhooks whose state is kept. */
const REMEMBERED = 1000;

interface Endpoint {
  /** The number of leased deliveries, including those being sent. */
  active: number;
  sending: number;
  limit: number;
  /** Smoothed response time in milliseconds; null: unknown. */
  pace: number | null;
  /**
   * The duration of the last attempt if it failed. If it succeeded, `pace`, so that one late response does not count. Null:
   * no attempt yet.
   */
  last: number | null;
  /** When the last attempt ended, or when the first attempt in flight began, in milliseconds. */
  sign: number;
  settings: EndpointSettings;
  /** Deliveries that the rate limit allows now (token bucket of one second). */
  tokens: number;
  /** When the tokens were last refilled, in milliseconds. */
  counted: number;
}

/** The settings of a webhook when its deliveries are leased. */
export interface EndpointSettings {
  /** Null: no limit of its own. */
  readonly max_concurrency: number | null;
  /** Deliveries started per second in this process; null: no limit. */
  readonly rate_limit: number | null;
  /** Whether all recent deliveries have failed, in any process. */
  readonly failing: boolean;
}

interface Lease extends EndpointSettings {
  readonly webhook_id: number;
}

const UNLIMITED: EndpointSettings = { max_concurrency: null, rate_limit: null, failing: false };

/**
 * Limits the deliveries in flight, each of which takes a place. The limit of a webhook grows additively with every success
 * and shrinks multiplicatively with every failure. Deliveries leased ahead take no place.
 *
 * Receivers that hang must not delay the others. So slow receivers share one part of all places, and untried receivers
 * another. Some places are reserved for the newest untried receivers, which would otherwise wait for those that hang. A
 * webhook gets another place only if more places are free than it has already (dynamic thresholds of Choudhury and Hahne,
 * 1998, with α = 1): if n quick receivers stop responding at the same time, a part of 1 / (n + 1) stays free.
 */
export class EndpointRoom {
  private readonly endpoints = new Map<number, Endpoint>();
  /** Leased deliveries, and how many of them are being sent. */
  private active = 0;
  private sending = 0;
  /** Webhooks that may have due deliveries beyond their own limit. */
  private readonly full = new Set<number>();
  /** Whether there may be due deliveries beyond a limit that webhooks share. */
  private isShort = false;
  /** Whether untried receivers may have due deliveries beyond their share. */
  private isCrowded = false;
  /** When the newest untried webhook last got a reserved place. */
  private newestAt = -Infinity;

  constructor(private readonly limits: RoomLimits) {}

  /** The number of deliveries that may be leased now. @param now monotonic milliseconds */
  room(now: number): Capacity {
    const ofWebhook = new Map<number, { places: number; state: ReceiverState }>();
    const sending: Record<ReceiverState, number> = { quick: 0, slow: 0, untried: 0 };
    for (const [id, endpoint] of this.endpoints) {
      const state = stateOf(endpoint, now);
      sending[state] += endpoint.sending;
      ofWebhook.set(id, { places: this.roomOf(endpoint, now), state });
    }
    const { total, each } = this.limits;
    const slow = Math.max(0, share(total, SHARE) - sending.slow);
    const doubtful = share(total, DOUBTFUL_SHARE) - sending.slow - sending.untried - slow;
    const kept = share(total, NEWEST_SHARE);
    const untried = Math.max(0, Math.min(share(total, SHARE) - sending.untried, doubtful - kept));
    return {
      total: Math.min(total - this.sending, LEASED * total - this.active),
      slow,
      untried,
      newest: this.isCrowded && this.hasNewestWaited(kept, Math.min(kept, doubtful - untried), now),
      each: Math.min(FIRST, each),
      ofWebhook,
    };
  }

  /** Registers the result of a claim. Where the claim used all its `room`, more deliveries may be due. */
  leased(room: Capacity, leases: readonly Lease[], now: number): void {
    const taken: Record<ReceiverState, number> = { quick: 0, slow: 0, untried: 0 };
    const left = new Map([...room.ofWebhook].map(([id, { places }]) => [id, places]));
    for (const lease of leases) {
      const { webhook_id: id, failing } = lease;
      taken[room.ofWebhook.get(id)?.state ?? (failing ? 'slow' : 'untried')] += 1;
      left.set(id, (left.get(id) ?? room.each) - 1);
      this.lease(id, now, lease);
    }
    if (taken.untried > room.untried) this.newestAt = now;
    this.isCrowded = taken.untried >= room.untried;
    this.isShort = leases.length >= room.total || taken.slow >= room.slow || this.isCrowded;
    this.full.clear();
    for (const [id, places] of left) if (places <= 0) this.full.add(id);
  }

  /**
   * Whether another claim is worthwhile after a delivery of the webhook was sent: room that was lacking is free, and at
   * most half of the deliveries leased ahead are still waiting.
   */
  isWanting(webhookId: number): boolean {
    if (this.isShort || !this.full.has(webhookId)) return this.isShort;
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return true;
    return endpoint.active - endpoint.sending <= Math.max(0, endpoint.limit - this.limits.each) / 2;
  }

  /** Whether limits may be delaying due deliveries. */
  get isLimiting(): boolean {
    return this.isShort || this.full.size > 0;
  }

  /** Registers the lease of one delivery. */
  lease(webhookId: number, now: number, settings: EndpointSettings = UNLIMITED): void {
    const endpoint = this.endpoints.get(webhookId) ?? this.unknown(settings, now);
    refill(endpoint, now);
    endpoint.settings = settings;
    endpoint.tokens = Math.max(0, endpoint.tokens - 1);
    endpoint.active += 1;
    this.active += 1;
    this.endpoints.set(webhookId, endpoint);
  }

  /** Whether another leased delivery of the webhook may be sent now. */
  isFree(webhookId: number): boolean {
    const { sending = 0 } = this.endpoints.get(webhookId) ?? {};
    return sending < Math.min(this.limits.each, this.limits.total - this.sending);
  }

  /** Registers that a leased delivery is being sent. */
  begin(webhookId: number, now: number): void {
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return;
    if (endpoint.sending === 0) endpoint.sign = now;
    endpoint.sending += 1;
    this.sending += 1;
  }

  /**
   * Registers the end of an attempt.
   * @param success null if the attempt says nothing about the receiver, because it was aborted
   * @param duration in milliseconds
   */
  end(webhookId: number, now: number, success: boolean | null, duration = 0): void {
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return;
    endpoint.sending -= 1;
    this.sending -= 1;
    endpoint.sign = now;
    if (success !== null) {
      endpoint.pace = smoothed(endpoint.pace, duration);
      endpoint.last = success ? endpoint.pace : duration;
    }
    if (success === true) endpoint.limit = Math.min(this.mostOf(endpoint), endpoint.limit + 1);
    if (success === false) endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
    this.giveBack(webhookId);
  }

  /** Registers that a delivery is no longer leased. */
  giveBack(webhookId: number): void {
    const endpoint = this.endpoints.get(webhookId);
    if (endpoint === undefined) return;
    endpoint.active -= 1;
    this.active -= 1;
    if (endpoint.active === 0 && this.endpoints.size > REMEMBERED) this.endpoints.delete(webhookId);
  }

  /** The number of leased deliveries beyond the limit, which failures lower. */
  excess(webhookId: number): number {
    const endpoint = this.endpoints.get(webhookId);
    return endpoint === undefined ? 0 : Math.max(0, endpoint.active - endpoint.limit);
  }

  /** @param kept the number of reserved places @param left how many of them are free */
  private hasNewestWaited(kept: number, left: number, now: number): boolean {
    return left > 0 && now - this.newestAt >= (NEWEST_MS * kept) / left;
  }

  /** The limit of leased deliveries for a receiver that responds well. */
  private mostOf({ pace }: Endpoint): number {
    const { each } = this.limits;
    return pace === null ? each : each + Math.floor(each * Math.min(AHEAD, AHEAD_MS / pace));
  }

  private unknown(settings: EndpointSettings, now: number): Endpoint {
    const limit = Math.min(FIRST, this.limits.each);
    const tokens = settings.rate_limit ?? 0;
    return { active: 0, sending: 0, limit, pace: null, last: null, sign: now, settings, tokens, counted: now };
  }

  private roomOf(endpoint: Endpoint, now: number): number {
    refill(endpoint, now);
    const { max_concurrency: most, rate_limit: rate } = endpoint.settings;
    const places = Math.min(endpoint.limit, most ?? Infinity) - endpoint.active;
    return Math.max(0, rate === null ? places : Math.min(places, Math.floor(endpoint.tokens)));
  }
}

/** The number of places in a share of all, at least one. */
const share = (total: number, part: number): number => Math.max(1, Math.floor(total * part));

function stateOf({ sending, sign, pace, last, settings }: Endpoint, now: number): ReceiverState {
  if (sending > 0 && now - sign > Math.max(SILENT_MS, SILENT_PACES * (pace ?? 0))) return 'slow';
  if (last === null) return settings.failing ? 'slow' : 'untried';
  return last > SLOW_MS ? 'slow' : 'quick';
}

const smoothed = (before: number | null, value: number): number =>
  before === null ? value : before + (value - before) * SMOOTHING;

function refill(endpoint: Endpoint, now: number): void {
  const rate = endpoint.settings.rate_limit ?? 0;
  endpoint.tokens = Math.min(rate, endpoint.tokens + (rate * (now - endpoint.counted)) / 1000);
  endpoint.counted = now;
}
