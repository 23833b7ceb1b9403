import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { UpkeepEvery } from '../../core/worker/workers.js';
import { EventSinkQueue } from './event-sink.queue.js';

const EVERY_MS = 60_000;
/** The broker may be restarted without a warning. */
const PATIENCE_MS = 5 * 60_000;
const WARN_EVERY_MS = 60 * 60_000;

/** Bounds the number of pending events, and warns while the broker does not accept events. */
@Injectable()
export class EventSinkUpkeep {
  private readonly expired: Counter;
  private warnedAt = -Infinity;

  constructor(
    private readonly queue: EventSinkQueue,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.expired = metrics.counter({
      name: 'event_sink_expired_total',
      help: 'Events that the broker of EVENT_SINK did not get within EVENT_SINK_RETENTION_DAYS',
    });
  }

  /** Also removes what was pending when `EVENT_SINK` was unset. @returns whether there may be more */
  @UpkeepEvery({ name: 'event sink upkeep', everyMs: EVERY_MS })
  async keepUp(): Promise<boolean> {
    const expired = await this.queue.expire();
    if (this.config.eventSink.target === null) return expired > 0;
    if (expired > 0) {
      this.expired.inc(expired);
      this.log.error(
        { events: expired },
        'events are lost: the event sink did not accept them within EVENT_SINK_RETENTION_DAYS',
      );
    }
    await this.warn();
    return expired > 0;
  }

  private async warn(): Promise<void> {
    const { failing_since: since = null, error } = (await this.queue.state()) ?? {};
    const now = this.clock.now().getTime();
    if (since === null || now - Date.parse(since) < PATIENCE_MS || now - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = now;
    const days = this.config.eventSink.retentionDays;
    this.log.warn(
      { since, problem: error, retentionDays: days },
      'the event sink does not accept events; they are kept',
    );
  }
}
