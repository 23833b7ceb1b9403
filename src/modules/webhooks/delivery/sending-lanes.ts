/** What has its place in a lane. */
interface Laned {
  readonly webhook_id: number;
}

interface Lane<Item> {
  sending: number;
  /** In the order of arrival. */
  readonly waiting: Item[];
}

/**
 * One lane for each webhook: what there is room for is sent, the rest waits in its order. What waits can be taken out again,
 * which what is being sent cannot.
 */
export class SendingLanes<Item extends Laned> {
  private readonly lanes = new Map<number, Lane<Item>>();
  /** Lanes of which nothing is sent, so that no end of theirs lets them go on; the one that waits longest first. */
  private readonly blocked = new Set<number>();

  /**
   * @param isFree whether one more of a webhook may be sent
   * @param send begins at once, resolves when the item is done; does not reject
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

  /** Takes out up to so many of a webhook that wait, the last ones. */
  takeBack(webhookId: number, count: number): Item[] {
    const lane = this.lanes.get(webhookId);
    if (lane === undefined) return [];
    const taken = lane.waiting.splice(Math.max(0, lane.waiting.length - count));
    this.keep(webhookId, lane);
    return taken;
  }

  /** Takes out everything that waits. */
  takeAllBack(): Item[] {
    return [...this.lanes.keys()].flatMap((webhookId) => this.takeBack(webhookId, Infinity));
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

  /** As long as there is something in it, and among the blocked ones if it is. */
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
