import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { Events } from '../../core/events/events.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { projectPolicy } from '../../shared/policy/project.policy.js';
import { LabelService } from '../labels/index.js';
import { StorageService } from '../storages/index.js';
import { projectScope } from './project.events.js';
import { type CreateProjectDto, type ProjectDto, toProject } from './project.dto.js';
import { ProjectRepository } from './project.repository.js';

/** Creates projects. */
@Injectable()
export class ProjectCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: ProjectRepository,
    private readonly labels: LabelService,
    private readonly storages: StorageService,
    private readonly people: ReferencedUsers,
    private readonly events: Events,
  ) {}

  create(actor: Actor, body: Unvalidated<CreateProjectDto>): Promise<ProjectDto> {
    const organization = contextOrganization(actor);
    return this.work.run(async (tx) => {
      requireAll(projectPolicy, ['create'], actor, { ownerId: actor.id, assigneeId: null, organization });
      await this.people.require(tx, actor, organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      return this.add(tx, actor, body.validate(), organization?.id ?? null);
    });
  }

  /** Inserts a project and records the event. The caller has checked permission and values. */
  async add(tx: Tx, actor: Actor, dto: CreateProjectDto, organizationId: number | null): Promise<ProjectDto> {
    const id = await this.rows.insert(tx, {
      name: dto.name,
      bugTracker: dto.bug_tracker ?? '',
      ownerId: dto.owner_id === undefined ? actor.id : dto.owner_id,
      assigneeId: dto.assignee_id ?? null,
      organizationId,
      sourceStorageId: await this.storages.create(tx, actor, dto.source_storage),
      targetStorageId: await this.storages.create(tx, actor, dto.target_storage),
      now: tx.now,
    });
    await this.labels.createAll(tx, actor, { kind: 'project', id }, dto.labels ?? []);
    const row = await this.rows.find(tx, id);
    if (row === undefined) throw NotFound.of('Project');
    const project = toProject(row, new Urls(actor.baseUrl));
    await this.events.created(tx, actor, 'project', { object: project, scope: projectScope(project) });
    return project;
  }
}
