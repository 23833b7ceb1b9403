import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { identityOf } from '../../../core/access/current-actor.decorator.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { clientOf } from './agent-client.js';
import { AnnotationRequestRepository } from './annotation-request.repository.js';

const AGAIN_MS = 10_000;

/**
 * Takes every call of an agent as a sign of life, and a long one again and again: agents download images and send results,
 * and some of them have no stream.
 */
@Injectable()
export class AgentCalls implements NestInterceptor {
  /** When a client was stored as seen last. */
  private readonly stored = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly rows: AnnotationRequestRepository,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const client = clientOf(http.getRequest<Request>());
    const identity = client === null ? undefined : identityOf(http.getRequest<Request>());
    if (client !== null && identity !== undefined && !identity.credential.readOnly)
      this.follow(identity.actor.id, client, http.getResponse<Response>());
    return next.handle();
  }

  private follow(userId: number, client: string, response: Response): void {
    this.seen(userId, client);
    const timer = setInterval(() => {
      if (!response.headersSent || !isStream(response)) this.seen(userId, client);
    }, AGAIN_MS);
    response.once('close', () => clearInterval(timer));
  }

  private seen(userId: number, client: string): void {
    const now = this.clock.now();
    if (now.getTime() - (this.stored.get(client) ?? 0) < AGAIN_MS / 2) return;
    for (const [other, at] of this.stored) if (now.getTime() - at >= AGAIN_MS) this.stored.delete(other);
    this.stored.set(client, now.getTime());
    void this.rows.clientSeen(this.db, userId, client, now).catch(() => undefined); // the next call stores it
  }
}

/** Streams are stored while they are open. */
const isStream = (response: Response): boolean =>
  String(response.getHeader('Content-Type')).startsWith('text/event-stream');
