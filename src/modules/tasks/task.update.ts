import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll, updateScopes } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import { Cascades } from '../../core/events/cascades.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { assignments, type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor, OrganizationFacts } from '../../shared/policy/actor.js';
import { taskPolicy, type TaskScope } from '../../shared/policy/task.policy.js';
import { deletedLabels, type LabelChangeDto, LabelService } from '../labels/index.js';
import { newAssignee, ProjectRepository, ProjectService, Transfers } from '../projects/index.js';
import { StorageService } from '../storages/index.js';
import { type TaskDto, type TaskRow, toTask, type UpdateTaskDto } from './task.dto.js';
import { TaskService } from './task.service.js';

interface AttributeForMapping {
  readonly id: number;
  readonly name: string;
  readonly input_type: string;
  readonly values: readonly string[];
}

interface SublabelForMapping {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly AttributeForMapping[];
}

interface LabelForMapping extends SublabelForMapping {
  readonly sublabels: readonly SublabelForMapping[];
}

/** Maps old ids to new ids. */
export interface LabelMapping {
  readonly labels: ReadonlyMap<number, number>;
  readonly attributes: ReadonlyMap<number, number>;
}

/** Calls the method when a task moves to other labels: to replace the label ids that annotations hold. */
export const OnLabelRemapping = methodHook<void, (tx: Tx, taskId: number, mapping: LabelMapping) => Promise<void>>();

/** Moves a task into a project: its annotations get the project's labels of the same names. */
@Injectable()
export class TaskMove {
  constructor(
    private readonly projects: ProjectService,
    private readonly projectRows: ProjectRepository,
    private readonly labels: LabelService,
    private readonly discovery: Discovery,
    private readonly cascades: Cascades,
  ) {}

  /** Locks the annotations, which get other labels. Call it before the task is locked. */
  lock(tx: Tx, taskId: number): Promise<void> {
    return this.cascades.lock(tx, 'task', [taskId]);
  }

  /** @returns the assignments for the task's row */
  async into(tx: Tx, actor: Actor, task: TaskRow, projectId: number | null): Promise<Sql[]> {
    if (projectId === task.project_id) return [];
    if (projectId === null) throw new Invalid({ project_id: ['A task cannot be removed from its project.'] });
    const project = await this.projectRows.find(tx, projectId);
    if (project === undefined) throw new InvalidList('Project matching query does not exist.');
    await this.projects.require(tx, actor, projectId, 'view');
    if (project.dimension !== null && project.dimension !== task.dimension) {
      throw new InvalidList(
        `Dimension (${task.dimension}) of the task must be the same as other tasks in project (${project.dimension})`,
      );
    }
    const from =
      task.project_id === null
        ? ({ kind: 'task', id: task.id } as const)
        : ({ kind: 'project', id: task.project_id } as const);
    const own: LabelForMapping[] = await this.labels.ofOwner(tx, from);
    const mapping = mapLabels(own, await this.labels.ofOwner(tx, { kind: 'project', id: projectId }));
    for (const { found } of this.discovery.methods(OnLabelRemapping)) await found(tx, task.id, mapping);
    if (task.project_id === null) await tx.query(sql`delete from label where task_id = ${task.id}`);
    return [sql`project_id = ${projectId}`];
  }
}

/**
 * Maps each label, sublabel and attribute to the one of the same name.
 * @throws Invalid, InvalidList if one has no counterpart
 */
function mapLabels(from: readonly LabelForMapping[], to: readonly LabelForMapping[]): LabelMapping {
  const labels = new Map<number, number>();
  const attributes = new Map<number, number>();
  for (const label of from) {
    const target = to.find((candidate) => candidate.name === label.name);
    if (target === undefined) {
      throw new Invalid({ non_field_errors: ['All task or project label names must be mapped to the target project'] });
    }
    mapPair(label, target, labels, attributes);
    if (label.sublabels.length !== target.sublabels.length) throw unmatchedSublabels(label);
    for (const sublabel of label.sublabels) {
      const counterpart = target.sublabels.find((candidate) => candidate.name === sublabel.name);
      if (counterpart === undefined) throw unmatchedSublabels(label);
      mapPair(sublabel, counterpart, labels, attributes);
    }
  }
  return { labels, attributes };
}

const unmatchedSublabels = (label: LabelForMapping): InvalidList =>
  new InvalidList(`Sublabels of "${label.name}" label must match those of the target project`);

function mapPair(
  from: SublabelForMapping,
  to: SublabelForMapping,
  labels: Map<number, number>,
  attributes: Map<number, number>,
): void {
  labels.set(from.id, to.id);
  for (const attribute of from.attributes) {
    const target = to.attributes.find(
      (candidate) =>
        candidate.name === attribute.name &&
        candidate.input_type === attribute.input_type &&
        candidate.values.join('\n') === attribute.values.join('\n'),
    );
    if (target === undefined) {
      throw new InvalidList(`Target project does not have "${from.name}" label with "${attribute.name}" attribute`);
    }
    attributes.set(attribute.id, target.id);
  }
}

/** The scope that each field needs. */
const UPDATE_SCOPES: Readonly<Record<string, TaskScope>> = {
  name: 'update:desc',
  labels: 'update:desc',
  bug_tracker: 'update:desc',
  subset: 'update:desc',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  project_id: 'update:project',
  organization: 'update:organization', // ignored; clients of CVAT 2.42 may send it
  organization_id: 'update:organization',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
};

/** PATCH of a task. */
@Injectable()
export class TaskUpdate {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: TaskService,
    private readonly labels: LabelService,
    private readonly move: TaskMove,
    private readonly storages: StorageService,
    private readonly people: ReferencedUsers,
    private readonly transfers: Transfers,
    private readonly preconditions: Preconditions,
  ) {}

  update(actor: Actor, id: number, body: Unvalidated<UpdateTaskDto>): Promise<TaskDto> {
    return this.work.run(async (tx) => {
      const facts = await this.tasks.require(tx, actor, id, 'view', ...updateScopes(body.raw, UPDATE_SCOPES));
      await this.people.require(tx, actor, facts.organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      const dto = body.validate();
      const to = await this.transfers.target(tx, actor, facts.organization, body.raw);
      if (to !== undefined) return this.transfer(tx, actor, id, to, dto);
      await this.labels.lockDeleted(tx, { kind: 'task', id }, deletedLabels(dto.labels));
      if (dto.project_id !== undefined) await this.move.lock(tx, id);
      const options = { touchProject: true };
      return this.tasks.change(
        tx,
        actor,
        id,
        async (row) => {
          await this.preconditions.require(tx, 'task', toTask(row, new Urls(actor.baseUrl)));
          // The labels of a task in a project are the project's.
          if (dto.labels !== undefined && row.project_id === null) await this.changeLabels(tx, actor, id, dto.labels);
          return [
            ...(dto.project_id === undefined ? [] : await this.move.into(tx, actor, row, dto.project_id)),
            ...assignments({
              name: dto.name,
              bug_tracker: dto.bug_tracker,
              subset: dto.subset,
              owner_id: dto.owner_id,
              ...newAssignee(row, dto.assignee_id, tx.now),
            }),
            ...(await this.storages.update(tx, actor, row, dto)),
          ];
        },
        options,
      );
    });
  }

  /** Moves the task to another organization. */
  private async transfer(
    tx: Tx,
    actor: Actor,
    id: number,
    organization: OrganizationFacts | null,
    dto: UpdateTaskDto,
  ): Promise<TaskDto> {
    requireAll(taskPolicy, ['create'], actor, { ownerId: actor.id, assigneeId: null, project: null, organization });
    const { project_id: projectId } = await this.tasks.lock(tx, id);
    if (projectId !== null)
      throw new Invalid({ organization_id: ['A task in a project moves with its project, not on its own.'] });
    const to = organization?.id ?? null;
    await this.transfers.prepare(tx, { kind: 'task', id, actor, to });
    return this.tasks.transfer(tx, actor, id, async (row) => {
      await this.preconditions.require(tx, 'task', toTask(row, new Urls(actor.baseUrl)));
      return [
        ...assignments({ organization_id: to, owner_id: actor.id }),
        ...(await this.storages.update(tx, actor, row, dto)),
      ];
    });
  }

  private async changeLabels(tx: Tx, actor: Actor, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.changeAll(tx, actor, { kind: 'task', id }, changes);
    await this.tasks.touchJobs(tx, id);
  }
}
