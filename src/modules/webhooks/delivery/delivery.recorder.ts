import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { Poller } from '../../../core/worker/poller.js';
import { DeliveryQueue, type Outcome, type SwitchedOff } from './delivery.queue.js';

const BATCH = 500;
/** A database that takes no results is not asked for more to do. */
const MOST_UNRECORDED = 4 * BATCH;
/** A result on which nothing waits is recorded with those of so many milliseconds: one statement instead of many. */
const PATIENCE_MS = 50;
/** After a failure, at first. */
const RETRY_MS = 200;

/** Records what came of deliveries, in batches, beside the sending. */
@Injectable()
export class DeliveryRecorder {
  private readonly poller: Poller;
  private readonly outcomes: Outcome[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Something is due as soon as what is here has been recorded. */
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

  /** Too much is unrecorded to begin anything. */
  get isFull(): boolean {
    return this.outcomes.length >= MOST_UNRECORDED;
  }

  /** @param due called when deliveries may have become due by what was recorded, or when there is room again */
  start(due: () => void): void {
    this.due = due;
    this.poller.start();
  }

  /** Ends when everything is recorded. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.poller.stop();
    await this.recordAll();
  }

  /** @param isAwaited something is due once it is recorded: the next delivery of an ordered webhook, the same one again */
  add(outcome: Outcome, isAwaited: boolean): void {
    this.outcomes.push(outcome);
    this.awaited ||= isAwaited;
    if (isAwaited || this.outcomes.length >= BATCH) this.wake();
    else this.timer ??= setTimeout(() => this.wake(), PATIENCE_MS);
  }

  async recordAll(): Promise<void> {
    while ((await this.record()) > 0);
  }

  private wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.poller.wake();
  }

  /** What cannot be recorded now stays for the next time, or until its lease has ended and it is sent again. */
  private async record(): Promise<number> {
    const batch = this.outcomes.slice(0, BATCH);
    if (batch.length === 0) return 0;
    const isDue = this.awaited || this.isFull;
    const switchedOff = await this.queue.record(this.db, batch, this.clock.now());
    this.outcomes.splice(0, batch.length);
    if (this.outcomes.length === 0) this.awaited = false;
    if (isDue) this.due();
    for (const webhook of switchedOff) this.tell(webhook);
    return batch.length;
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
      path: `/webhooks/${id}`,
      closing: 'You get this letter because you own the webhook.',
    });
  }
}
