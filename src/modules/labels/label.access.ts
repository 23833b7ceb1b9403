import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page-request.js';
import { or, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { projectPolicy } from '../../shared/policy/project.policy.js';
import { taskPolicy } from '../../shared/policy/task.policy.js';
import { type LabelChangeDto, type LabelDto, type LabelRow, toLabel } from './label.dto.js';
import {
  IS_TOP_LEVEL,
  LABEL_COLUMNS,
  labelList,
  type LabelOwner,
  LabelRepository,
  ownedBy,
} from './label.repository.js';
import { deletedLabels, LabelOwners, LabelService } from './label.service.js';

const OWNER_PARAMETERS = ['job_id', 'task_id', 'project_id'] as const;
const TOGETHER = 'job_id, task_id and project_id parameters cannot be used together';

const SUBLABEL_CHANGE =
  'Sublabels cannot be modified this way. Please send a PATCH request with updated parent label data instead.';
const SUBLABEL_DELETION =
  'Sublabels cannot be deleted this way. Please send a PATCH request with updated parent label data instead.';

/** Reads and changes labels for clients. The permissions are the owner's, and each change is a change of the owner. */
@Injectable()
export class LabelAccess {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly labels: LabelRepository,
    private readonly writer: LabelService,
    private readonly owners: LabelOwners,
    private readonly lists: ListService,
    private readonly preconditions: Preconditions,
  ) {}

  async get(actor: Actor, id: number): Promise<LabelDto> {
    const row = await this.labels.find(this.db, id);
    if (row === undefined) throw NotFound.of('Label');
    const owner = ownerOf(row);
    await this.owners.require(owner.kind, this.db, actor, owner.id, 'view');
    return toLabel(row);
  }

  /** All visible labels, or those of one job, task or project. A task in a project has the project's labels. */
  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<LabelDto>> {
    const owner = await this.namedOwner(actor, query);
    return this.lists.page<LabelRow, LabelDto>(
      labelList,
      {
        select: LABEL_COLUMNS,
        visible: owner === undefined ? or([projectPolicy.visible(actor), taskPolicy.visible(actor)]) : sql`true`,
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/labels`,
        where: owner === undefined ? IS_TOP_LEVEL : sql`${IS_TOP_LEVEL} and ${ownedBy(owner)}`,
      },
      toLabel,
    );
  }

  async update(actor: Actor, id: number, body: Unvalidated<LabelChangeDto>): Promise<LabelDto> {
    const label = await this.requireChangeable(actor, id);
    if (body.has('deleted')) throw new Invalid({ non_field_errors: ['Labels can be deleted with DELETE only'] });
    if (label.parent_id !== null) throw new InvalidList(SUBLABEL_CHANGE);
    const change = { ...body.validate(), id };
    await this.change(actor, label, change);
    const changed = await this.labels.find(this.db, id);
    if (changed === undefined) throw NotFound.of('Label');
    return toLabel(changed);
  }

  async delete(actor: Actor, id: number): Promise<void> {
    const label = await this.requireChangeable(actor, id);
    if (label.parent_id !== null) throw new InvalidList(SUBLABEL_DELETION);
    await this.change(actor, label, { id, deleted: true });
  }

  private async namedOwner(actor: Actor, query: Record<string, unknown>): Promise<LabelOwner | undefined> {
    const named = OWNER_PARAMETERS.filter(
      (parameter) => typeof query[parameter] === 'string' && query[parameter] !== '',
    );
    const [parameter] = named;
    if (parameter === undefined) return undefined;
    if (named.length > 1) throw new InvalidList(TOGETHER);
    const id = namedId(query[parameter]);
    if (id === undefined) throw new InvalidList(`"${parameter}" must be an integer`);
    return this.resolve(actor, parameter, id);
  }

  private async resolve(actor: Actor, parameter: (typeof OWNER_PARAMETERS)[number], id: number): Promise<LabelOwner> {
    const kind = parameter === 'project_id' ? 'project' : 'task';
    if (parameter === 'job_id') await this.owners.require('job', this.db, actor, id, 'view');
    else await this.owners.require(kind, this.db, actor, id, 'view');
    if (kind === 'project') return { kind, id };
    const [task] = await this.db.query<{ id: number; project_id: number | null }>(
      parameter === 'task_id'
        ? sql`select id, project_id from task where id = ${id}`
        : sql`select task.id, task.project_id from job join task on task.id = job.task_id where job.id = ${id}`,
    );
    if (task === undefined) throw NotFound.of(parameter === 'task_id' ? 'Task' : 'Job');
    return task.project_id === null ? { kind: 'task', id: task.id } : { kind: 'project', id: task.project_id };
  }

  private async change(actor: Actor, label: LabelRow, change: LabelChangeDto): Promise<void> {
    const owner = ownerOf(label);
    await this.work.run(async (tx) => {
      await this.writer.lockDeleted(tx, owner, deletedLabels([change]));
      await this.owners.change(owner.kind, tx, actor, owner.id, async () => {
        await this.requireUnchanged(tx, label.id);
        await this.writer.changeAll(tx, actor, owner, [change]);
      });
    });
  }

  /** The caller has locked the label's owner. */
  private async requireUnchanged(tx: Tx, id: number): Promise<void> {
    const label = await this.labels.find(tx, id);
    if (label === undefined) throw NotFound.of('Label');
    await this.preconditions.require(tx, 'label', toLabel(label));
  }

  /** @throws NotFound, Forbidden */
  private async requireChangeable(actor: Actor, id: number): Promise<LabelRow> {
    const label = await this.labels.find(this.db, id);
    if (label === undefined) throw NotFound.of('Label');
    const owner = ownerOf(label);
    await this.owners.require(owner.kind, this.db, actor, owner.id, 'update:desc');
    return label;
  }
}

const ownerOf = (row: LabelRow): LabelOwner =>
  row.project_id === null ? { kind: 'task', id: row.task_id ?? 0 } : { kind: 'project', id: row.project_id };
