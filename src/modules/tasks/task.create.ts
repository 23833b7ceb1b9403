import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import { Urls } from '../../core/http/response/urls.js';
import { Events } from '../../core/events/events.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { type ProjectFacts, projectPolicy } from '../../shared/policy/project.policy.js';
import { taskPolicy } from '../../shared/policy/task.policy.js';
import { LabelService } from '../labels/index.js';
import { ProjectService } from '../projects/index.js';
import { StorageService } from '../storages/index.js';
import { taskScope } from './task.events.js';
import { type CreateTaskDto, type TaskDto, toTask } from './task.dto.js';
import { TaskRepository } from './task.repository.js';

const MAX_CONSENSUS_REPLICAS = 11;
const NO_PROJECT = 'Project matching query does not exist.';

/** Creates tasks: with labels of their own, or in a project with the project's labels. */
@Injectable()
export class TaskCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: TaskRepository,
    private readonly projects: ProjectService,
    private readonly labels: LabelService,
    private readonly storages: StorageService,
    private readonly people: ReferencedUsers,
    private readonly events: Events,
  ) {}

  create(actor: Actor, body: Unvalidated<CreateTaskDto>): Promise<TaskDto> {
    return this.work.run(async (tx) => {
      await this.requireCreation(tx, actor, body.raw);
      const dto = body.validate();
      const organizationId = contextOrganization(actor)?.id ?? null;
      await this.requireValid(tx, dto, organizationId);
      return this.add(tx, actor, dto, organizationId);
    });
  }

  /** Inserts a task and records the event. The caller has checked permission and values. */
  async add(tx: Tx, actor: Actor, dto: CreateTaskDto, organizationId: number | null): Promise<TaskDto> {
    const id = await this.insert(tx, actor, dto, organizationId);
    if (dto.labels !== undefined && dto.labels.length > 0)
      await this.labels.createAll(tx, actor, { kind: 'task', id }, dto.labels);
    const row = await this.rows.find(tx, id);
    if (row === undefined) throw NotFound.of('Task');
    const task = toTask(row, new Urls(actor.baseUrl));
    await this.events.created(tx, actor, 'task', { object: task, scope: taskScope(task) });
    await this.projects.touch(tx, actor, task.project_id);
    return task;
  }

  private async requireCreation(tx: Tx, actor: Actor, raw: Readonly<Record<string, unknown>>): Promise<void> {
    const organization = contextOrganization(actor);
    const project = await this.namedProject(tx, actor, raw['project_id']);
    requireAll(taskPolicy, [project === null ? 'create' : 'create@project'], actor, {
      ownerId: actor.id,
      assigneeId: null,
      project,
      organization,
    });
    if (project !== null) requireAll(projectPolicy, ['view@request'], actor, project);
    await this.people.require(tx, actor, organization, [raw['owner_id'], raw['assignee_id']]);
  }

  private async namedProject(tx: Tx, actor: Actor, id: unknown): Promise<ProjectFacts | null> {
    if (id === undefined || id === null) return null;
    const number = namedId(id);
    if (number === undefined) throw new Invalid({ project_id: ['A valid integer is required.'] });
    const facts = await this.projects.facts(tx, actor, number);
    if (facts === undefined) throw new InvalidList(NO_PROJECT);
    return facts;
  }

  private async requireValid(tx: Tx, dto: CreateTaskDto, organizationId: number | null): Promise<void> {
    requireReplicas(dto);
    const labelled = (dto.labels ?? []).length > 0;
    const inProject = dto.project_id !== undefined && dto.project_id !== null;
    if (!labelled && !inProject) throw new InvalidList('Label set or project_id must be present');
    if (labelled && inProject) throw new InvalidList('Project must have only one of Label set or project_id');
    if (!inProject) return;
    const project = await this.projects.lock(tx, dto.project_id ?? 0);
    if (project === undefined) throw new InvalidList(NO_PROJECT);
    if (project.organization_id !== organizationId) {
      throw new InvalidList('The task and its project should be in the same organization.');
    }
  }

  private async insert(tx: Tx, actor: Actor, dto: CreateTaskDto, organizationId: number | null): Promise<number> {
    return this.rows.insert(tx, {
      name: dto.name,
      projectId: dto.project_id ?? null,
      ownerId: dto.owner_id === undefined ? actor.id : dto.owner_id,
      assigneeId: dto.assignee_id ?? null,
      bugTracker: dto.bug_tracker ?? '',
      overlap: dto.overlap ?? null,
      segmentSize: dto.segment_size ?? 0,
      subset: dto.subset ?? '',
      consensusReplicas: replicasOf(dto),
      organizationId,
      sourceStorageId: await this.storages.create(tx, actor, dto.source_storage),
      targetStorageId: await this.storages.create(tx, actor, dto.target_storage),
      now: tx.now,
    });
  }
}

const replicasOf = (dto: CreateTaskDto): number => dto.initial_replicas ?? dto.consensus_replicas ?? 0;

/** @throws Invalid for the name that the client uses */
function requireReplicas(dto: CreateTaskDto): void {
  const replicas = replicasOf(dto);
  const field = dto.initial_replicas === undefined ? 'consensus_replicas' : 'initial_replicas';
  if (replicas < 0) throw new Invalid({ [field]: ['Ensure this value is greater than or equal to 0.'] });
  if (replicas === 1 || replicas > MAX_CONSENSUS_REPLICAS) {
    const text = `Consensus replicas must be 0 or a positive number more than 1 and less than ${MAX_CONSENSUS_REPLICAS + 1}, got ${replicas}`;
    throw new Invalid({ [field]: [text] });
  }
}
