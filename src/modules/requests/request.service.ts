import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Forbidden, NotFound, PlainError } from '../../core/http/errors/errors.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page-request.js';
import { and, raw, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type RequestFacts, requestPolicy } from '../../shared/policy/request.policy.js';
import { JobService } from '../jobs/index.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';
import {
  currentRequestId,
  namesUser,
  type RequestDto,
  requestList,
  type RequestRow,
  toRequest,
} from './request.dto.js';
import { BackgroundRequests } from './background-requests.js';
import { REQUEST_COLUMNS, RequestRepository } from './request.repository.js';

const ID_FILTERS = ['project_id', 'task_id', 'job_id'];

/** Decides who may see and cancel background requests. */
@Injectable()
export class RequestAccess {
  constructor(
    private readonly db: Db,
    private readonly projects: ProjectService,
    private readonly tasks: TaskService,
    private readonly jobs: JobService,
  ) {}

  /** @throws Forbidden */
  async require(actor: Actor, row: RequestRow, scope: 'view' | 'cancel'): Promise<void> {
    requireAll(requestPolicy, [scope], actor, await this.facts(actor, row));
  }

  private async facts(actor: Actor, row: RequestRow): Promise<RequestFacts> {
    const isPrivate = namesUser(row.id);
    const isForeign = row.owner_id !== actor.id && !isPrivate;
    return { ownerId: row.owner_id, isPrivate, seesTarget: isForeign && (await this.seesTarget(actor, row)) };
  }

  private async seesTarget(actor: Actor, row: RequestRow): Promise<boolean> {
    try {
      if (row.job_id !== null) await this.jobs.require(this.db, actor, row.job_id, 'view');
      else if (row.task_id !== null) await this.tasks.require(this.db, actor, row.task_id, 'view');
      else if (row.project_id !== null) await this.projects.require(this.db, actor, row.project_id, 'view');
      else return false;
      return true;
    } catch (error) {
      if (error instanceof Forbidden || error instanceof NotFound) return false;
      throw error;
    }
  }
}

/** Lists, reads and cancels background requests for users. */
@Injectable()
export class RequestService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly requests: RequestRepository,
    private readonly queue: BackgroundRequests,
    private readonly lists: ListService,
    private readonly access: RequestAccess,
    private readonly clock: Clock,
  ) {}

  /** The requests of the actor. */
  list(actor: Actor, query: Record<string, unknown>): Promise<Page<RequestDto>> {
    const alive = sql`not background_request.cancelled and (background_request.expiry_date is null or background_request.expiry_date > ${this.clock.now()})`;
    // Unlike other lists, this one returns no rows for an id that is not a number.
    const senseless = ID_FILTERS.filter((name) => typeof query[name] === 'string' && !/^\d*$/.test(query[name].trim()));
    return this.lists.page<RequestRow, RequestDto>(
      requestList,
      {
        select: REQUEST_COLUMNS,
        visible: and([requestPolicy.visible(actor), alive]),
        organization: listOrganization(actor),
        query: Object.fromEntries(Object.entries(query).filter(([name]) => !senseless.includes(name))),
        url: `${actor.baseUrl}/api/requests`,
        ...(senseless.length > 0 ? { where: raw('false') } : {}),
      },
      (row) => toRequest(row, actor.baseUrl),
    );
  }

  /** @throws PlainError 404, Forbidden */
  async get(actor: Actor, id: string): Promise<RequestDto> {
    const row = await this.find(id);
    await this.access.require(actor, row, 'view');
    return toRequest(row, actor.baseUrl);
  }

  /** @throws PlainError 404 or 400, Forbidden */
  async cancel(actor: Actor, id: string): Promise<void> {
    const row = await this.find(id);
    await this.access.require(actor, row, 'cancel');
    const cancelled = await this.work.run((tx) => this.queue.cancel(tx, row.id));
    if (!cancelled) throw new PlainError(400, 'Only requests that have not yet been started can be cancelled');
  }

  private async find(id: string): Promise<RequestRow> {
    const row = id.includes('\0')
      ? undefined
      : await this.requests.find(this.db, currentRequestId(id), this.clock.now());
    if (row === undefined) throw new PlainError(404, 'There is no request with specified id');
    return row;
  }
}
