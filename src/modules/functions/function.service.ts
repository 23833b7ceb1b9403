import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Clock } from '../../core/clock.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Invalid, NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page-request.js';
import { Notifier } from '../../core/worker/notifier.js';
import { labelSpecProblem } from '../../engines/functions/label-spec.js';
import { join, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { type FunctionFacts, functionPolicy, type FunctionScope } from '../../shared/policy/function.policy.js';
import {
  type CreateFunctionDto,
  type FunctionDto,
  type FunctionRow,
  REQUIRED_OF,
  specOf,
  toFunction,
  type UpdateFunctionDto,
} from './function.dto.js';
import { functionColumns, functionList, FunctionRepository } from './function.repository.js';

/** The registry of the functions that agents execute. */
@Injectable()
export class FunctionService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly functions: FunctionRepository,
    private readonly lists: ListService,
    private readonly preconditions: Preconditions,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<FunctionDto>> {
    requireAll(functionPolicy, ['list'], actor, factsOfNew(actor));
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<FunctionRow, FunctionDto>(
      functionList,
      {
        select: functionColumns(this.clock.now()),
        visible: functionPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/functions`,
      },
      (row) => toFunction(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<FunctionDto> {
    return toFunction(await this.require(this.db, actor, id, 'view'), new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, id: number, scope: FunctionScope): Promise<FunctionRow> {
    const found = await this.functions.find(db, id, actor.id, this.clock.now());
    if (found === undefined) throw NotFound.of('Function');
    requireAll(functionPolicy, [scope], actor, found.facts);
    return found.row;
  }

  /** Checks the permission before validating the body. */
  create(actor: Actor, body: Unvalidated<CreateFunctionDto>): Promise<FunctionDto> {
    const facts = factsOfNew(actor);
    requireAll(functionPolicy, ['create'], actor, facts);
    const dto = body.validate();
    requireSpec(dto);
    const { visibility = 'private' } = dto;
    if (visibility === 'public') requireAll(functionPolicy, ['publish'], actor, facts);
    return this.work.run(async (tx) => {
      const id = await this.functions.insert(tx, {
        name: dto.name,
        description: dto.description ?? '',
        kind: dto.kind,
        visibility,
        spec: specOf(dto),
        ownerId: actor.id,
        organizationId: facts.organization?.id ?? null,
      });
      return this.read(tx, actor, id);
    });
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateFunctionDto>): Promise<FunctionDto> {
    return this.work.run(async (tx) => {
      const { row, facts } = await this.lock(tx, actor, id, 'update');
      const dto = body.validate();
      if (dto.visibility === 'public' && row.visibility !== 'public')
        requireAll(functionPolicy, ['publish'], actor, facts);
      const assignments = [
        sql`updated_date = ${tx.now}`,
        ...(dto.name === undefined ? [] : [sql`name = ${dto.name}`]),
        ...(dto.description === undefined ? [] : [sql`description = ${dto.description}`]),
        ...(dto.visibility === undefined ? [] : [sql`visibility = ${dto.visibility}`]),
      ];
      await this.functions.set(tx, id, join(assignments, ', '));
      return this.read(tx, actor, id);
    });
  }

  /** Its agents stop, and requests in its queue are lost. */
  async delete(actor: Actor, id: number): Promise<void> {
    await this.work.run(async (tx) => {
      await this.lock(tx, actor, id, 'delete');
      await this.functions.delete(tx, id);
    });
    this.notifier.notify('functions');
  }

  private async lock(
    tx: Tx,
    actor: Actor,
    id: number,
    scope: FunctionScope,
  ): Promise<{ row: FunctionRow; facts: FunctionFacts }> {
    await this.functions.lock(tx, id);
    const found = await this.functions.find(tx, id, actor.id, tx.now);
    if (found === undefined) throw NotFound.of('Function');
    requireAll(functionPolicy, [scope], actor, found.facts);
    await this.preconditions.require(tx, 'function', toFunction(found.row, new Urls(actor.baseUrl)));
    return found;
  }

  private async read(tx: Tx, actor: Actor, id: number): Promise<FunctionDto> {
    const found = await this.functions.find(tx, id, actor.id, tx.now);
    if (found === undefined) throw new Error(`Function ${id} is gone in the transaction that wrote it`);
    return toFunction(found.row, new Urls(actor.baseUrl));
  }
}

/** The facts for lists and creations. */
const factsOfNew = (actor: Actor): FunctionFacts => ({
  ownerId: null,
  isPublic: false,
  organization: contextOrganization(actor),
});

/** @throws Invalid unless the body declares what functions of its kind declare */
function requireSpec(dto: CreateFunctionDto): void {
  const required = REQUIRED_OF[dto.kind];
  if (dto[required] === undefined) throw new Invalid({ [required]: ['This field is required.'] });
  if (dto.kind === 'detector' && dto.labels_v2?.length === 0)
    throw new Invalid({ labels_v2: ['This list may not be empty.'] });
  const problem = labelSpecProblem(specOf(dto).labels_v2 ?? []);
  if (problem !== undefined) throw new Invalid({ labels_v2: [problem] });
}
