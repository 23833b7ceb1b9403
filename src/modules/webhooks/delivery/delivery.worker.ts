import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { Poller } from '../../../core/worker/poller.js';
import { BackgroundWorker, type Worker } from '../../../core/worker/workers.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { DeliveryQueue, type LeasedDelivery, type Outcome } from './delivery.queue.js';
import { DeliveryRecorder } from './delivery.recorder.js';
import { SendingLanes } from './sending-lanes.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { type AttemptResult, WebhookSender } from './webhook-sender.js';
import { nextAttempt } from '../../../engines/sender/retry.js';

/** Polling interval while notifications do not arrive, or while limits delay due deliveries. */
const POLL_MS = 200;
/** How long a stopping server waits for responses before it aborts requests. */
const GRACE_MS = 2000;

interface Waiting {
  readonly webhook_id: number;
  readonly delivery: LeasedDelivery;
  /** Monotonic milliseconds. */
  readonly leasedAt: number;
}

/**
 * Leases deliveries, sends them outside of any transaction, and passes the outcomes to the recorder. One claim leases as
 * many due deliveries as the limits allow, so a higher load needs fewer statements per delivery. The worker claims again
 * when it is woken, or when capacity becomes free for deliveries that found none.
 */
@Injectable()
@BackgroundWorker('webhooks')
export class DeliveryWorker implements Worker {
  private readonly poller: Poller;
  private stopListening: (() => void) | undefined;
  /** When the next delivery becomes due, or null if there is none. Undefined unless the last claim left nothing due. */
  private next: { readonly due: Date | null } | undefined;
  private readonly limiter: ConcurrencyLimiter;
  private readonly lanes: SendingLanes<Waiting>;
  private readonly schedule: readonly number[];
  /**
   * Longer than an attempt can take, so that a lease does not expire before a live worker has recorded the outcome.
   */
  private readonly leaseMs: number;
  private readonly leaseMarginMs: number;
  private readonly sending = new Set<Promise<void>>();
  /** Webhooks with attempts that ended during the current claim. */
  private sentMeanwhile: Set<number> | undefined;

  constructor(
    private readonly db: Db,
    private readonly queue: DeliveryQueue,
    private readonly results: DeliveryRecorder,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) log: Logger,
    private readonly metrics: WebhookMetrics,
    private readonly notifier: Notifier,
  ) {
    const { concurrency, endpointConcurrency, retrySchedule, leaseMarginMs } = config.webhooks;
    this.leaseMarginMs = leaseMarginMs;
    this.leaseMs = sender.longestMs + leaseMarginMs;
    this.limiter = new ConcurrencyLimiter({ total: concurrency, each: endpointConcurrency });
    this.lanes = new SendingLanes(
      (webhook) => this.limiter.isFree(webhook),
      (waiting) => this.send(waiting),
    );
    this.schedule = retrySchedule.map((seconds) => seconds * 1000);
    this.poller = new Poller(
      'webhook deliveries',
      () => this.pauseMs(),
      () => this.lease(),
      log,
    );
  }

  start(): void {
    this.stopListening = this.notifier.listen('deliveries', () => this.poller.wake());
    this.results.start(() => this.poller.wake());
    this.poller.start();
  }

  /** Waits briefly for responses. Releases the deliveries that have none. */
  async stop(): Promise<void> {
    this.stopListening?.();
    await this.poller.stop();
    this.release(this.lanes.removeAll());
    await within(GRACE_MS, Promise.all(this.sending));
    await this.sender.close();
    await Promise.all(this.sending);
    await this.results.stop();
  }

  /** Claims once, then sends and records what it leased. For tests. @returns the number of deliveries sent */
  async runOnce(): Promise<number> {
    const count = await this.claim();
    while (this.sending.size > 0) await Promise.all(this.sending);
    await this.results.recordAll();
    return count;
  }

  /**
   * Checks only after the claim whether the webhooks whose attempts ended during it need more deliveries. During the
   * claim they always seem to, and a second claim for a few places would read all leased deliveries again.
   *
   * @returns whether another claim is worthwhile
   */
  private async lease(): Promise<boolean> {
    const sent = (this.sentMeanwhile = new Set<number>());
    this.next = undefined;
    try {
      const count = await this.claim();
      if (count === 0 && !this.limiter.isLimiting) {
        this.next = { due: await this.queue.nextDue(this.db, this.clock.now()) };
      }
      return [...sent].some((webhook) => this.limiter.needsMore(webhook));
    } finally {
      this.sentMeanwhile = undefined;
    }
  }

  /** How long to wait before the next claim if nothing wakes the worker. */
  private pauseMs(): number {
    if (this.next === undefined) return POLL_MS;
    const { due } = this.next;
    const untilDue = due === null ? Infinity : Math.max(0, due.getTime() - this.clock.now().getTime());
    return Math.min(this.notifier.pollMs(POLL_MS), untilDue);
  }

  private async claim(): Promise<number> {
    if (this.results.isFull) return 0;
    const capacity = this.limiter.capacity(performance.now());
    if (capacity.total <= 0) return 0;
    const now = this.clock.now();
    const leaseEnd = new Date(now.getTime() + this.leaseMs);
    const deliveries = await this.queue.claim(this.db, capacity, now, leaseEnd);
    const leasedAt = performance.now();
    this.limiter.leased(capacity, deliveries, leasedAt);
    for (const delivery of deliveries) this.lanes.add({ webhook_id: delivery.webhook_id, delivery, leasedAt });
    return deliveries.length;
  }

  private async send(waiting: Waiting): Promise<void> {
    const { delivery, leasedAt } = waiting;
    // It has waited so long that its lease could expire before the attempt ends.
    if (performance.now() - leasedAt > this.leaseMarginMs) return this.release([waiting]);
    const sending = this.deliver(delivery).finally(() => {
      this.sending.delete(sending);
      if (this.sentMeanwhile !== undefined) this.sentMeanwhile.add(delivery.webhook_id);
      else if (this.limiter.needsMore(delivery.webhook_id)) this.poller.wake();
    });
    this.sending.add(sending);
    await sending;
  }

  private async deliver(delivery: LeasedDelivery): Promise<void> {
    const { webhook_id: webhook } = delivery;
    this.limiter.begin(webhook, performance.now());
    const sent = await this.sender.send(delivery, String(webhook));
    const schedule = delivery.retry_schedule?.map((seconds) => seconds * 1000) ?? this.schedule;
    const rules = { schedule, now: this.clock.now(), random: Math.random };
    this.limiter.end(webhook, performance.now(), sent.stopped ? null : sent.error === null, sent.duration);
    const outcome = outcomeOf(delivery, sent, rules);
    this.results.add(outcome, delivery.ordered || outcome.status === 'pending');
    this.metrics.attempted(delivery, sent, outcome, rules.now);
    if (sent.error !== null) this.release(this.lanes.remove(webhook, this.limiter.excess(webhook)));
  }

  /** Releases deliveries that were not sent. */
  private release(waiting: readonly Waiting[]): void {
    const now = this.clock.now();
    for (const { delivery, webhook_id: webhook } of waiting) {
      const { id, lease, attempts } = delivery;
      this.limiter.release(webhook);
      const outcome = {
        id,
        lease,
        attempts,
        attempt: null,
        status: 'pending',
        nextAttemptAt: now,
        disable: false,
      } as const;
      this.results.add(outcome, true);
    }
  }
}

async function within(milliseconds: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([done, late]);
  clearTimeout(timer);
}

export interface RetryRules {
  /** Milliseconds before each attempt, including the first. */
  readonly schedule: readonly number[];
  readonly now: Date;
  readonly random: () => number;
}

const DISABLED =
  'the URL no longer exists, so the webhook has been disabled; enable it when the receiver is available again';

/** The outcome of an attempt: delivered, to be retried, failed, or released because the server stopped. */
export function outcomeOf(
  delivery: Pick<LeasedDelivery, 'id' | 'lease' | 'attempts'>,
  sent: AttemptResult,
  rules: RetryRules,
): Outcome {
  const { id, lease, attempts } = delivery;
  if (sent.stopped) {
    return { id, lease, attempts, attempt: null, status: 'pending', nextAttemptAt: rules.now, disable: false };
  }
  if (sent.error === null) {
    return { id, lease, attempts, attempt: sent, status: 'delivered', nextAttemptAt: null, disable: false };
  }
  const next = nextAttempt({
    attempt: delivery.attempts + 1,
    status: sent.statusCode,
    retryAfter: sent.retryAfter,
    now: rules.now,
    random: rules.random,
    schedule: rules.schedule,
  });
  if (next instanceof Date && !sent.isPermanent) {
    return { id, lease, attempts, attempt: sent, status: 'pending', nextAttemptAt: next, disable: false };
  }
  const disable = next === 'disable';
  const attempt = disable ? { ...sent, error: `${sent.error}: ${DISABLED}` } : sent;
  return { id, lease, attempts, attempt, status: 'failed', nextAttemptAt: null, disable };
}
