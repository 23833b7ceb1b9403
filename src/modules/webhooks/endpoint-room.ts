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
}

/**
 * How many deliveries each webhook may have under way. Every success makes room for one more, a failure halves the
 * room, so a receiver that hangs holds one or two of the places and not all of them.
 */
export class EndpointRoom {
  private readonly endpoints = new Map<number, Endpoint>();
  private active = 0;

  constructor(private readonly limits: RoomLimits) {}

  /** What may be begun now. */
  get room(): Room {
    const known = [...this.endpoints].map(([id, { limit, active }]) => [id, Math.max(0, limit - active)] as const);
    return {
      total: this.limits.total - this.active,
      each: Math.min(FIRST, this.limits.each),
      ofWebhook: new Map(known),
    };
  }

  begin(webhookId: number): void {
    const endpoint = this.endpoints.get(webhookId) ?? { active: 0, limit: Math.min(FIRST, this.limits.each) };
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
