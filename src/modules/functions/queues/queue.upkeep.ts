import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { AgentRepository } from './agent.repository.js';
import { AnnotationRequestRepository } from './annotation-request.repository.js';

const EXPIRE_EVERY_MS = 2_000;
const CLEAN_UP_EVERY_MS = 60_000;

/** Takes requests from agents that have stopped responding, and deletes what has expired. */
@Injectable()
export class QueueUpkeep {
  constructor(
    private readonly db: Db,
    private readonly rows: AnnotationRequestRepository,
    private readonly agents: AgentRepository,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
  ) {}

  @UpkeepEvery({ name: 'leases of agents', everyMs: EXPIRE_EVERY_MS })
  async expire(): Promise<void> {
    if (await this.rows.expire(this.db, this.clock.now())) this.notifier.notify('functions');
  }

  @UpkeepEvery({ name: 'clean-up of annotation requests', everyMs: CLEAN_UP_EVERY_MS })
  async cleanUp(): Promise<void> {
    const now = this.clock.now();
    await this.rows.deleteExpired(this.db, now);
    await this.agents.deleteExpired(this.db, now);
  }
}
