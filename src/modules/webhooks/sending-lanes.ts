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
 * One lane for each webhook: so many of its deliveries are sent at a time, the others wait in their order. What waits can be
 * taken out again, which what is being sent cannot.
 */
export class SendingLanes<Item extends Laned> {
  private readonly lanes = new Map<number, Lane<Item>>();

  /**
   * @param width sent at a time to one webhook
   * @param send resolves when the item is done; does not reject
   */
  constructor(
    private readonly width: number,
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
    const waiting = this.lanes.get(webhookId)?.waiting ?? [];
    return waiting.splice(Math.max(0, waiting.length - count));
  }

  /** Takes out everything that waits. */
  takeAllBack(): Item[] {
    return [...this.lanes.keys()].flatMap((webhookId) => this.takeBack(webhookId, Infinity));
  }

  private fill(webhookId: number, lane: Lane<Item>): void {
    while (lane.sending < this.width) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.sending += 1;
      void this.send(next).finally(() => {
        lane.sending -= 1;
        this.fill(webhookId, lane);
      });
    }
    if (lane.sending === 0) this.lanes.delete(webhookId);
  }
}
