import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { updateScopes } from '../../core/access/update-scopes.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { NotFound } from '../../core/http/errors.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { Urls } from '../../core/http/urls.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import { Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import { join, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization } from '../../policy/actor.js';
import { type ProjectFacts, projectPolicy, type ProjectScope } from '../../policy/project.policy.js';
import { deletedLabels, type LabelInputDto, LabelOwners, LabelService } from '../labels/index.js';
import { StorageService } from '../storages/index.js';
import type { CreateProjectDto, ProjectDto, UpdateProjectDto } from './project.dto.js';
import { projectList } from './project.list.js';
import { type ProjectRow, toProject } from './project.mapper.js';
import { PROJECT_COLUMNS, ProjectRepository } from './project.repository.js';

const UPDATE_SCOPES: Readonly<Record<string, ProjectScope>> = {
  name: 'update:desc',
  labels: 'update:desc',
  bug_tracker: 'update:desc',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
  organization: 'update:organization',
};

@Injectable()
export class ProjectService implements OnModuleInit {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(ProjectRepository) private readonly projects: ProjectRepository,
    @Inject(LabelService) private readonly labels: LabelService,
    @Inject(LabelOwners) private readonly labelOwners: LabelOwners,
    @Inject(StorageService) private readonly storages: StorageService,
    @Inject(ReferencedUsers) private readonly people: ReferencedUsers,
    @Inject(ListService) private readonly lists: ListService,
    @Inject(EventRecorder) private readonly events: EventRecorder,
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
  ) {}

  onModuleInit(): void {
    this.labelOwners.register('project', {
      require: async (db, actor, id, scope) => void (await this.require(db, actor, id, scope)),
      change: (actor, id, change, deleted) =>
        this.work.run(async (tx) => {
          await this.lockForLabels(tx, id, deleted);
          return this.changeRow(tx, actor, id, async () => {
            await change(tx);
            await this.projects.touchContents(tx, id, tx.now);
            return [];
          });
        }),
    });
  }

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<ProjectDto>> {
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<ProjectRow, ProjectDto>(
      projectList,
      {
        select: PROJECT_COLUMNS,
        visible: projectPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/projects`,
      },
      (row) => toProject(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<ProjectDto> {
    const found = await this.projects.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Project');
    requireAll(projectPolicy, ['view'], actor, found.facts);
    return toProject(found.row, new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, id: number, scope: ProjectScope): Promise<ProjectFacts> {
    const facts = await this.projects.facts(db, id, actor.id);
    if (facts === undefined) throw NotFound.of('Project');
    requireAll(projectPolicy, [scope], actor, facts);
    return facts;
  }

  create(actor: Actor, body: Unvalidated<CreateProjectDto>): Promise<ProjectDto> {
    const organization = contextOrganization(actor);
    return this.work.run(async (tx) => {
      requireAll(projectPolicy, ['create'], actor, { ownerId: actor.id, assigneeId: null, organization });
      await this.people.require(tx, actor, organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      return this.add(tx, actor, body.validate(), organization?.id ?? null);
    });
  }

  /** Inserts a project and tells it. The caller has checked the permission and the values. */
  async add(tx: Tx, actor: Actor, dto: CreateProjectDto, organizationId: number | null): Promise<ProjectDto> {
    const id = await this.projects.insert(tx, {
      name: dto.name,
      bugTracker: dto.bug_tracker ?? '',
      ownerId: dto.owner_id === undefined ? actor.id : dto.owner_id,
      assigneeId: dto.assignee_id ?? null,
      organizationId,
      sourceStorageId: await this.storages.create(tx, actor, dto.source_storage),
      targetStorageId: await this.storages.create(tx, actor, dto.target_storage),
      now: tx.now,
    });
    await this.labels.createAll(tx, { kind: 'project', id }, dto.labels ?? []);
    const project = await this.read(tx, actor, id);
    await this.events.record(tx, actor, { operation: 'create', resource: 'project' }, placeOf(project), [
      { after: project },
    ]);
    return project;
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateProjectDto>): Promise<ProjectDto> {
    return this.work.run(async (tx) => {
      const facts = await this.projects.facts(tx, id, actor.id);
      if (facts === undefined) throw NotFound.of('Project');
      requireAll(projectPolicy, ['view', ...updateScopes(body.raw, UPDATE_SCOPES)], actor, facts);
      await this.people.require(tx, actor, facts.organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      const dto = body.validate();
      if (dto.labels !== undefined) await this.lockForLabels(tx, id, deletedLabels(dto.labels));
      return this.changeRow(tx, actor, id, async (row) => {
        await this.preconditions.require(tx, 'project', toProject(row, new Urls(actor.baseUrl)));
        return this.assignments(tx, actor, row, dto);
      });
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.require(tx, actor, id, 'delete');
      await this.cascades.lock(tx, 'project', [id]);
      await this.projects.lock(tx, id);
      const project = await this.read(tx, actor, id);
      await this.preconditions.require(tx, 'project', project);
      await this.events.record(tx, actor, { operation: 'delete', resource: 'project' }, placeOf(project), [
        { after: project },
      ]);
      await this.cascades.run(tx, { resource: 'project', ids: [id], actor });
      await this.projects.delete(tx, id);
    });
  }

  /** Adds labels. The caller has checked the permission and the values. @throws InvalidList for a name used twice */
  async addLabels(tx: Tx, actor: Actor, id: number, labels: readonly LabelInputDto[]): Promise<void> {
    await this.lockForLabels(tx, id, []);
    await this.changeRow(tx, actor, id, (row) => this.assignments(tx, actor, row, { labels: [...labels] }));
  }

  /** The project has changed because something in it did: a new date, and the event that tells it. */
  async touch(tx: Tx, actor: Actor | null, id: number | null, baseUrl = actor?.baseUrl ?? ''): Promise<void> {
    if (id === null) return;
    await this.changeRow(tx, actor, id, () => Promise.resolve([]), baseUrl);
  }

  /** What changes with the project's labels, before the project: those who work in it lock it last, too. */
  private async lockForLabels(tx: Tx, id: number, deleted: readonly number[]): Promise<void> {
    await this.labels.lockDeleted(tx, { kind: 'project', id }, deleted);
    await this.projects.lockContents(tx, id);
  }

  private async changeRow(
    tx: Tx,
    actor: Actor | null,
    id: number,
    change: (before: ProjectRow) => Promise<Sql[]>,
    baseUrl = actor?.baseUrl ?? '',
  ): Promise<ProjectDto> {
    const urls = new Urls(baseUrl);
    await this.projects.lock(tx, id);
    const before = await this.projects.find(tx, id);
    if (before === undefined) throw NotFound.of('Project');
    const assignments = await change(before);
    await this.projects.set(tx, id, join([...assignments, sql`updated_date = ${tx.now}`], ', '));
    const after = await this.projects.find(tx, id);
    if (after === undefined) throw NotFound.of('Project');
    const project = toProject(after, urls);
    await this.events.record(tx, actor, { operation: 'update', resource: 'project' }, placeOf(project), [
      { after: project, before: toProject(before, urls) },
    ]);
    return project;
  }

  private async assignments(tx: Tx, actor: Actor, row: ProjectRow, dto: UpdateProjectDto): Promise<Sql[]> {
    const { id } = row;
    const now = tx.now;
    if (dto.labels !== undefined) {
      await this.labels.changeAll(tx, actor, { kind: 'project', id }, dto.labels);
      await this.projects.touchContents(tx, id, now);
    }
    const source = dto.source_storage;
    const target = dto.target_storage;
    return [
      ...(dto.name === undefined ? [] : [sql`name = ${dto.name}`]),
      ...(dto.bug_tracker === undefined ? [] : [sql`bug_tracker = ${dto.bug_tracker}`]),
      ...(dto.owner_id === undefined ? [] : [sql`owner_id = ${dto.owner_id}`]),
      ...(dto.assignee_id === undefined || dto.assignee_id === row.assignee_id
        ? []
        : [sql`assignee_id = ${dto.assignee_id}, assignee_updated_date = ${now}`]),
      ...(source === undefined
        ? []
        : [
            sql`source_storage_id = ${await this.storages.update(tx, actor, { id: row.source_storage_id, field: 'source_storage' }, source)}`,
          ]),
      ...(target === undefined
        ? []
        : [
            sql`target_storage_id = ${await this.storages.update(tx, actor, { id: row.target_storage_id, field: 'target_storage' }, target)}`,
          ]),
    ];
  }

  private async read(tx: Tx, actor: Actor, id: number): Promise<ProjectDto> {
    const row = await this.projects.find(tx, id);
    if (row === undefined) throw NotFound.of('Project');
    return toProject(row, new Urls(actor.baseUrl));
  }
}

const placeOf = (project: ProjectDto): { organizationId: number | null; projectId: number } => ({
  organizationId: project.organization,
  projectId: project.id,
});
