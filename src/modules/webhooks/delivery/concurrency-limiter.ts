import type { Capacity } from './delivery.queue.js';

export interface ConcurrencyLimits {
  /** Maximum deliveries in flight in this process. */
  readonly total: number;
  /** Maximum deliveries in flight to one webhook. */
  readonly each: number;
}

/** Leased ahead for a receiver: the deliveries that it accepts in this time. */
const AHEAD_MS = 250;
/** Maximum number of deliveries leased ahead, as a multiple of those being sent. */
const AHEAD = 7;
/** Maximum number of deliveries leased for all webhooks together, as a multiple of those being sent. */
const LEASED = 4;
/** The weight of one response in the smoothed response time. */
const SMOOTHING = 1 / 16;

/** A receiver is slow if its smoothed response time, or its last failure, is longer than this. */
const SLOW_MS = 2000;
/** A receiver hangs if none of its deliveries has ended for this time and for `HANGING_FACTOR` times its response time. */
const HANGING_MS = 1000;
const HANGING_FACTOR = 2;
/** The slow lane's share of all deliveries in flight. */
const LANE_SHARE = 3 / 4;
/** The share of the slow lane, without the part that hanging receivers occupy, that attempts shorter than `HANGING_MS` may use. */
const STEP_SHARE = 1 / 3;

/** The limit of a webhook before its first response. */
const FIRST = 2;
/** The number of idle webhooks whose state is kept. */
const REMEMBERED = 1000;

interface Endpoint {
  /** The number of leased deliveries, including those being sent. */
  active: number;
  sending: number;
  limit: number;
  /** Smoothed response time in milliseconds; null before the first response, and after a failure that took long. */
  smoothedMs: number | null;
  /** When the last attempt ended, or when the first attempt in flight began, in milliseconds. */
  lastProgressAt: number;
  settings: EndpointSettings;
  /** Deliveries that the rate limit allows now (token bucket of one second). */
  tokens: number;
  /** When the tokens were last refilled, in milliseconds. */
  refilledAt: number;
}

/** The settings of a webhook when its deliveries are leased. */
export interface EndpointSettings {
  /** Null: no limit of its own. */
  readonly max_concurrency: number | null;
  /** Deliveries started per second; null: no limit. */
  readonly rate_limit: number | null;
}

interface Lease extends EndpointSettings {
  readonly webhook_id: number;
}

const UNLIMITED: EndpointSettings = { max_concurrency: null, rate_limit: null };

/**
 * Limits the deliveries in flight, per webhook by additive increase and multiplicative decrease: a success raises the
 * limit by one, a failure halves it.
 *
 * Receivers that are slow, hang or have not been tried share a slow lane, so that they do not delay the others. Attempts
 * of the last second may use only a third of the part of the lane that hanging receivers leave free. So every second some
 * of it is free for new receivers, even if many hang.
 *
 * A webhook gets another delivery only if more deliveries are free than it has in flight (dynamic thresholds of Choudhury
 * and Hahne, 1998, with α = 1): if n fast receivers stop responding at the same time, a part of 1 / (n + 1) stays free.
 */
export class ConcurrencyLimiter {
  private readonly endpoints = new Map<number, Endpoint>();
  /** Leased deliveries, and how many of them are being sent. */
  private active = 0;
  private sending = 0;
  /** Webhooks that may have due deliveries beyond their own limit. */
  private readonly full = new Set<number>();
  /** Whether there may be due deliveries beyond the limit of all webhooks or of the slow lane. */
  private isShort = false;

  constructor(private readonly limits: ConcurrencyLimits) {}

  /** The number of deliveries that may be leased now. @param now monotonic milliseconds */
  capacity(now: number): Capacity {
    const { total, each } = this.limits;
    const ofWebhook = new Map<number, { free: number; isSlow: boolean }>();
    let hanging = 0;
    let others = 0;
    for (const [id, endpoint] of this.endpoints) {
      const isSlow = mustUseSlowLane(endpoint, now);
      if (isSlow && isSilent(endpoint, now, HANGING_MS)) hanging += endpoint.sending;
      else if (isSlow) others += endpoint.sending;
      ofWebhook.set(id, { free: freeOf(endpoint, now), isSlow });
    }
    const left = Math.max(0, Math.max(1, Math.floor(total * LANE_SHARE)) - hanging);
    const step = Math.min(left, Math.max(1, Math.round(left * STEP_SHARE)));
    return {
      total: Math.min(total - this.sending, LEASED * total - this.active),
      slow: Math.max(0, step - others),
      each: Math.min(FIRST, each),
      ofWebhook,
    };
  }

  /** Registers the result of a claim. Where the claim used all its `capacity`, more deliveries may be due. */
  leased(capacity: Capacity, leases: readonly Lease[], now: number): void {
    const free = new Map([...capacity.ofWebhook].map(([id, webhook]) => [id, webhook.free]));
    let slow = 0;
    for (const lease of leases) {
      const { webhook_id: id } = lease;
      if (capacity.ofWebhook.get(id)?.isSlow ?? true) slow += 1;
      free.set(id, (free.get(id) ?? capacity.each) - 1);
      this.lease(id, now, lease);
    }
    this.isShort = leases.length >= capacity.total || slow >= capacity.slow;
    this.full.clear();
    for (const [id, left] of free) if (left <= 0) this.full.add(id);
  }

  /**
   * Whether another claim is worthwhile after a delivery of the webhook was sent: capacity that was lacking is free, and
   * at most half of the deliveries leased ahead are still waiting.
   */
  needsMore(webhookId: number): boolean {
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
    const endpoint = this.endpoints.get(webhookId) ?? this.newEndpoint(settings, now);
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
    if (endpoint.sending === 0) endpoint.lastProgressAt = now;
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
    endpoint.lastProgressAt = now;
    if (success !== null) {
      endpoint.smoothedMs = success || duration <= SLOW_MS ? smoothed(endpoint.smoothedMs, duration) : null;
    }
    if (success === true) endpoint.limit = Math.min(this.maxLimitOf(endpoint), endpoint.limit + 1);
    if (success === false) endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
    this.release(webhookId);
  }

  /** Registers that a delivery is no longer leased. */
  release(webhookId: number): void {
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

  /** The maximum number of leased deliveries, including those leased ahead. */
  private maxLimitOf({ smoothedMs }: Endpoint): number {
    const { each } = this.limits;
    return smoothedMs === null ? each : each + Math.floor(each * Math.min(AHEAD, AHEAD_MS / smoothedMs));
  }

  private newEndpoint(settings: EndpointSettings, now: number): Endpoint {
    const limit = Math.min(FIRST, this.limits.each);
    const tokens = settings.rate_limit ?? 0;
    return { active: 0, sending: 0, limit, smoothedMs: null, lastProgressAt: now, settings, tokens, refilledAt: now };
  }
}

/** Whether the receiver is slow, hangs or is untried. */
function mustUseSlowLane(endpoint: Endpoint, now: number): boolean {
  const { smoothedMs } = endpoint;
  if (smoothedMs === null || smoothedMs > SLOW_MS) return true;
  return isSilent(endpoint, now, Math.max(HANGING_MS, HANGING_FACTOR * smoothedMs));
}

const isSilent = ({ sending, lastProgressAt }: Endpoint, now: number, ms: number): boolean =>
  sending > 0 && now - lastProgressAt >= ms;

/** The number of deliveries of the webhook that may be leased within its own limits. */
function freeOf(endpoint: Endpoint, now: number): number {
  refill(endpoint, now);
  const { max_concurrency: most, rate_limit: rate } = endpoint.settings;
  const free = Math.min(endpoint.limit, most ?? Infinity) - endpoint.active;
  return Math.max(0, rate === null ? free : Math.min(free, Math.floor(endpoint.tokens)));
}

const smoothed = (before: number | null, value: number): number =>
  before === null ? value : before + (value - before) * SMOOTHING;

function refill(endpoint: Endpoint, now: number): void {
  const rate = endpoint.settings.rate_limit ?? 0;
  endpoint.tokens = Math.min(rate, endpoint.tokens + (rate * (now - endpoint.refilledAt)) / 1000);
  endpoint.refilledAt = now;
}
