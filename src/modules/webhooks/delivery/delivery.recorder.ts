import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { Poller } from '../../../core/worker/poller.js';
import { DeliveryQueue, type DisabledWebhook, type Outcome } from './delivery.queue.js';

const BATCH = 500;
/** Leasing stops while this many outcomes are unrecorded. */
const MAX_UNRECORDED = 4 * BATCH;
/** An outcome that makes no delivery due waits this long for others to be recorded with it. */
const BATCH_DELAY_MS = 50;
/** The first delay after a failure to record. */
const RETRY_MS = 200;

/** Records the outcomes of deliveries in batches, while other deliveries are being sent. */
@Injectable()
export class DeliveryRecorder {
  private readonly poller: Poller;
  private readonly outcomes: Outcome[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Whether recording these outcomes makes a delivery due. */
  private awaited = false;
  private due: () => void = () => undefined;

  constructor(
    private readonly db: Db,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.poller = new Poller('webhook results', RETRY_MS, async () => (await this.record()) === BATCH, log);
  }

  /** Whether too many outcomes are unrecorded to lease more. */
  get isFull(): boolean {
    return this.outcomes.length >= MAX_UNRECORDED;
  }

  /** @param due called after recording, if that may have made deliveries due or the recorder was full */
  start(due: () => void): void {
    this.due = due;
    this.poller.start();
  }

  /** Resolves when everything is recorded. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.poller.stop();
    await this.recordAll();
  }

  /** @param isAwaited whether recording makes a delivery due: the next one of an ordered webhook, or a retry */
  add(outcome: Outcome, isAwaited: boolean): void {
    this.outcomes.push(outcome);
    this.awaited ||= isAwaited;
    if (isAwaited || this.outcomes.length >= BATCH) this.wake();
    else this.timer ??= setTimeout(() => this.wake(), BATCH_DELAY_MS);
  }

  async recordAll(): Promise<void> {
    while ((await this.record()) > 0);
  }

  private wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.poller.wake();
  }

  /**
   * If the database is unavailable, the outcomes are kept and recorded later. If a lease expires before that, the
   * delivery is sent again.
   */
  private async record(): Promise<number> {
    const batch = this.outcomes.slice(0, BATCH);
    if (batch.length === 0) return 0;
    const isDue = this.awaited || this.isFull;
    const disabled = await this.queue.record(this.db, batch, this.clock.now());
    this.outcomes.splice(0, batch.length);
    if (this.outcomes.length === 0) this.awaited = false;
    if (isDue) this.due();
    for (const webhook of disabled) this.notifyOwner(webhook);
    return batch.length;
  }

  private notifyOwner({ id, email, target_url: target, reason }: DisabledWebhook): void {
    this.log.warn({ webhook: id, reason }, 'a webhook was disabled');
    if (email === null || email === '') return;
    this.mailer.send({
      to: email,
      subject: `The webhook to ${new URL(target).host} was disabled`,
      reason,
      request: 'Open this link to see every attempt, to enable the webhook and to redeliver the events that it missed:',
      path: `/webhooks/${id}`,
      closing: 'You receive this e-mail because you own the webhook.',
    });
  }
}
