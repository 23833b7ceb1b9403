import { Injectable } from '@nestjs/common';
import { Actors } from '../../core/access/actors.js';
import type { Tx } from '../../core/database/tx.js';
import { declareEvents } from '../../core/events/event-declaration.js';
import type { Completed } from '../../core/events/event-map.js';
import { Events } from '../../core/events/events.js';
import { Request21Dto, RequestDto, toRequest } from './request.dto.js';
import { type ClaimedRow, RequestRepository } from './request.repository.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    [name: `completed:request[${string}]`]: Completed<RequestDto>;
  }
}

/** Declares the event for the end of background requests. @param kinds types of requests: `create:task`, … */
export const declareRequestEvents = (kinds: readonly string[]): void =>
  declareEvents({
    resource: 'request',
    object: RequestDto,
    older: { '2.0': Request21Dto, '2.1': Request21Dto },
    operations: { completed: 'A background request has finished or failed, as its `status` shows' },
    kinds,
  });

/** Records the events of background requests. */
@Injectable()
export class RequestEvents {
  constructor(
    private readonly requests: RequestRepository,
    private readonly events: Events,
    private readonly actors: Actors,
  ) {}

  /** Call it in the transaction that ends the request, after its row has changed. */
  async completed(tx: Tx, claimed: ClaimedRow): Promise<void> {
    const { row_id: rowId, owner_id: ownerId, base_url: baseUrl, type, origin } = claimed;
    const row = await this.requests.findWithScope(tx, rowId);
    if (row === undefined) return;
    const owner = await this.actors.load(tx, ownerId, baseUrl, origin);
    const scope = { organizationId: row.scope_organization, projectId: row.scope_project };
    await this.events.completed(tx, owner, `request[${type}]`, { object: toRequest(row, baseUrl), scope });
  }
}
