/** An item that is queued in the lane of its webhook. */
interface Laned {
  readonly webhook_id: number;
}

interface Lane<Item> {
  sending: number;
  /** In order of arrival. */
  readonly waiting: Item[];
}

/**
 * A queue (lane) for each webhook. It sends items in order, as fast as the limits allow. Waiting items can be removed, items
 * in flight cannot.
 */
export class SendingLanes<Item extends Laned> {
  private readonly lanes = new Map<number, Lane<Item>>();
  /** Lanes with waiting items and none in flight, longest waiting first. They resume when an item of another lane ends. */
  private readonly blocked = new Set<number>();

  /**
   * @param isFree whether another item of the webhook may be sent
   * @param send starts immediately, resolves when the item is done, never rejects
   */
  constructor(
    private readonly isFree: (webhookId: number) => boolean,
    private readonly send: (item: Item) => Promise<void>,
  ) {}

  add(item: Item): void {
    const lane = this.lanes.get(item.webhook_id) ?? { sending: 0, waiting: [] };
    this.lanes.set(item.webhook_id, lane);
    lane.waiting.push(item);
    this.fill(item.webhook_id, lane);
  }

  /** Removes up to `count` waiting items of a webhook, last ones first. @returns the removed items */
  remove(webhookId: number, count: number): Item[] {
    const lane = this.lanes.get(webhookId);
    if (lane === undefined) return [];
    const taken = lane.waiting.splice(Math.max(0, lane.waiting.length - count));
    this.keep(webhookId, lane);
    return taken;
  }

  /** Removes all waiting items. @returns the removed items */
  removeAll(): Item[] {
    return [...this.lanes.keys()].flatMap((webhookId) => this.remove(webhookId, Infinity));
  }

  private fill(webhookId: number, lane: Lane<Item>): void {
    while (this.isFree(webhookId)) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.sending += 1;
      void this.send(next).finally(() => {
        lane.sending -= 1;
        this.unblock();
        this.fill(webhookId, lane);
      });
    }
    this.keep(webhookId, lane);
  }

  /** Removes an empty lane and updates the set of blocked lanes. */
  private keep(webhookId: number, { sending, waiting }: Lane<Item>): void {
    if (sending === 0 && waiting.length > 0) this.blocked.add(webhookId);
    else this.blocked.delete(webhookId);
    if (sending === 0 && waiting.length === 0) this.lanes.delete(webhookId);
  }

  private unblock(): void {
    for (const webhookId of this.blocked) {
      if (!this.isFree(webhookId)) return;
      const lane = this.lanes.get(webhookId);
      if (lane !== undefined) this.fill(webhookId, lane);
    }
  }
}
