import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { EventChannels } from '../../../core/http/response/server-sent-events.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { clientOf } from './agent-client.js';
import { QueueService } from './queue.service.js';
import { QueueWatcher } from './queue.watcher.js';

/**
 * Tells agents when there is work in their queue. A stream ends after some minutes; its agent then asks for work and
 * connects again, so that its permission is checked again.
 */
@Injectable()
export class QueueStreams {
  constructor(
    private readonly queues: QueueService,
    private readonly watcher: QueueWatcher,
    private readonly channels: EventChannels,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Responds with a stream. @throws NotFound, Forbidden, Throttled */
  async watch(actor: Actor, queue: string, request: Request, response: Response): Promise<void> {
    const functionId = await this.queues.require(actor, queue);
    const { streamsPerUser } = this.config.agents;
    const channel = this.channels.begin(actor, response, (open) => open.heartbeat(), {
      kind: 'agents',
      perUser: streamsPerUser,
    });
    if (channel.closed) return;
    const stop = this.watcher.listen({
      functionId,
      key: `stream ${randomUUID()}`,
      userId: actor.id,
      client: clientOf(request),
      onRequest: (category) => channel.event('newrequest', { request_category: category }),
      onEnd: () => channel.end(),
    });
    channel.onClose(stop);
  }
}
