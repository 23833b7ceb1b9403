import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { Mailer } from '../../core/mail/mailer.js';
import { Poller } from '../../core/worker/poller.js';
import { type Worker, Workers } from '../../core/worker/workers.js';
import { outcomeOf } from './delivery-outcome.js';
import { DeliveryQueue, type LeasedDelivery, type Outcome, type SwitchedOff } from './delivery.queue.js';
import { EndpointRoom } from './endpoint-room.js';
import { SendingLanes } from './sending-lanes.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookSender } from './webhook-sender.js';

/** Deliveries that became due, and those of other processes, are found at this pace; this process's own at once. */
const POLL_MS = 200;
/** A stopping server waits so long for answers before it breaks off. */
const GRACE_MS = 2000;
const RECORD_BATCH = 500;
/** A database that takes no results is not asked for more to do. */
const MOST_UNRECORDED = 4 * RECORD_BATCH;

interface Waiting {
  readonly webhook_id: number;
  readonly delivery: LeasedDelivery;
  /** Monotonic milliseconds. */
  readonly leasedAt: number;
}

/**
 * Sends deliveries: leases some, sends them with no transaction open, records what came of them in batches. One loop
 * leases and records, so the number of statements falls with the load; the sending goes on meanwhile.
 */
@Injectable()
export class DeliveryWorker implements Worker {
  private readonly poller: Poller;
  private readonly room: EndpointRoom;
  private readonly lanes: SendingLanes<Waiting>;
  private readonly schedule: readonly number[];
  /** More than a try can take: the lease of a worker that lives does not end before it has recorded. */
  private readonly leaseMs: number;
  private readonly leaseMarginMs: number;
  private readonly publicUrl: string;
  private readonly sending = new Set<Promise<void>>();
  private readonly outcomes: Outcome[] = [];

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
    @Inject(Mailer) private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(WebhookMetrics) private readonly metrics: WebhookMetrics,
    @Inject(Workers) workers: Workers,
  ) {
    const { concurrency, endpointConcurrency, retrySchedule, leaseMarginMs } = config.webhooks;
    this.publicUrl = config.publicUrl || `http://${config.host}:${config.port}`;
    this.leaseMarginMs = leaseMarginMs;
    this.leaseMs = sender.longestMs + leaseMarginMs;
    this.room = new EndpointRoom({ total: concurrency, each: endpointConcurrency });
    this.lanes = new SendingLanes(
      (webhook) => this.room.isFree(webhook),
      (waiting) => this.send(waiting),
    );
    this.schedule = retrySchedule.map((seconds) => seconds * 1000);
    this.poller = new Poller('webhook deliveries', POLL_MS, () => this.step(), log);
    workers.add(this);
  }

  start(): void {
    this.poller.start();
  }

  /** There are new deliveries. */
  wake(): void {
    this.poller.wake();
  }

  /** What has not been answered after a short while goes back to the queue. */
  async stop(): Promise<void> {
    await this.poller.stop();
    this.giveBack(this.lanes.takeAllBack());
    await within(GRACE_MS, Promise.all(this.sending));
    await this.sender.close();
    await Promise.all(this.sending);
    while ((await this.record()) > 0);
  }

  /** Sends what is due and there is room for, and records it. For tests. @returns how many were sent */
  async runOnce(): Promise<number> {
    const count = await this.claim();
    while (this.sending.size > 0) await Promise.all(this.sending);
    while ((await this.record()) > 0);
    return count;
  }

  /** Leases and records side by side. @returns whether something was done, so that there may be more to do */
  private async step(): Promise<boolean> {
    const counts = await Promise.allSettled([this.record(), this.claim()]);
    return counts.reduce((sum, count) => sum + valueOf(count), 0) > 0;
  }

  private async claim(): Promise<number> {
    if (this.outcomes.length >= MOST_UNRECORDED) return 0;
    const room = this.room.room(performance.now());
    if (room.total <= 0) return 0;
    const now = this.clock.now();
    const leaseEnd = new Date(now.getTime() + this.leaseMs);
    const deliveries = await this.queue.claim(this.db, room, now, leaseEnd);
    const leasedAt = performance.now();
    for (const delivery of deliveries) {
      this.room.lease(delivery.webhook_id, leasedAt, delivery);
      this.lanes.add({ webhook_id: delivery.webhook_id, delivery, leasedAt });
    }
    return deliveries.length;
  }

  private async send(waiting: Waiting): Promise<void> {
    const { delivery, leasedAt } = waiting;
    // What has waited for long could outlive its lease.
    if (performance.now() - leasedAt > this.leaseMarginMs) return this.giveBack([waiting]);
    const sending = this.deliver(delivery).finally(() => {
      this.sending.delete(sending);
      this.poller.wake();
    });
    this.sending.add(sending);
    await sending;
  }

  private async deliver(delivery: LeasedDelivery): Promise<void> {
    const { webhook_id: webhook } = delivery;
    this.room.begin(webhook, performance.now());
    const sent = await this.sender.send({ ...delivery, endpoint: String(webhook) });
    const schedule = delivery.retry_schedule?.map((seconds) => seconds * 1000) ?? this.schedule;
    const rules = { schedule, now: this.clock.now(), random: Math.random };
    this.room.end(webhook, performance.now(), sent.stopped ? null : sent.error === null, sent.duration);
    const outcome = outcomeOf(delivery, sent, rules);
    this.outcomes.push(outcome);
    this.metrics.attempted(delivery, sent, outcome, rules.now);
    if (sent.error !== null) this.giveBack(this.lanes.takeBack(webhook, this.room.excess(webhook)));
  }

  /** Leased and not sent: somebody sends them later. */
  private giveBack(waiting: readonly Waiting[]): void {
    const now = this.clock.now();
    for (const { delivery, webhook_id: webhook } of waiting) {
      const { id, lease, attempts } = delivery;
      this.room.giveBack(webhook);
      this.outcomes.push({ id, lease, attempts, attempt: null, status: 'pending', nextAttemptAt: now, disable: false });
    }
  }

  private tell({ id, email, target_url: target, reason }: SwitchedOff): void {
    this.log.warn({ webhook: id, reason }, 'a webhook was switched off');
    if (email === null || email === '') return;
    this.mailer.send({
      to: email,
      subject: `The webhook to ${new URL(target).host} was switched off`,
      reason,
      request:
        'Its page shows every attempt and switches it on again. What waits is sent then; what it misses can be, too:',
      link: `${this.publicUrl}/webhooks/${id}`,
      closing: 'You get this letter because you own the webhook.',
    });
  }

  /** What cannot be recorded now stays for the next time, or until its lease has ended and it is sent again. */
  private async record(): Promise<number> {
    const batch = this.outcomes.slice(0, RECORD_BATCH);
    if (batch.length === 0) return 0;
    const switchedOff = await this.queue.record(this.db, batch, this.clock.now());
    this.outcomes.splice(0, batch.length);
    for (const webhook of switchedOff) this.tell(webhook);
    return batch.length;
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

async function within(milliseconds: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([done, late]);
  clearTimeout(timer);
}
