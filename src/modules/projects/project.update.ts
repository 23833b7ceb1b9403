import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll, updateScopes } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { assignments } from '../../engines/sql/sql.js';
import type { Actor, OrganizationFacts } from '../../shared/policy/actor.js';
import { projectPolicy, type ProjectScope } from '../../shared/policy/project.policy.js';
import { deletedLabels, type LabelChangeDto, LabelService } from '../labels/index.js';
import { StorageService } from '../storages/index.js';
import { type ProjectDto, toProject, type UpdateProjectDto } from './project.dto.js';
import { newAssignee, ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';
import { Transfers } from './transfer.js';

/** The scope that each field needs. */
const UPDATE_SCOPES: Readonly<Record<string, ProjectScope>> = {
  name: 'update:desc',
  labels: 'update:desc',
  bug_tracker: 'update:desc',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
  organization: 'update:organization', // ignored; clients of CVAT 2.42 may send it
  organization_id: 'update:organization',
};

/** PATCH of a project. */
@Injectable()
export class ProjectUpdate {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectService,
    private readonly rows: ProjectRepository,
    private readonly labels: LabelService,
    private readonly storages: StorageService,
    private readonly people: ReferencedUsers,
    private readonly transfers: Transfers,
    private readonly preconditions: Preconditions,
  ) {}

  update(actor: Actor, id: number, body: Unvalidated<UpdateProjectDto>): Promise<ProjectDto> {
    return this.work.run(async (tx) => {
      const facts = await this.projects.require(tx, actor, id, 'view', ...updateScopes(body.raw, UPDATE_SCOPES));
      await this.people.require(tx, actor, facts.organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      const dto = body.validate();
      const to = await this.transfers.target(tx, actor, facts.organization, body.raw);
      if (to !== undefined) return this.move(tx, actor, id, to, dto);
      if (dto.labels !== undefined) await this.lockForLabels(tx, id, dto.labels);
      return this.projects.change(tx, actor, id, async (row) => {
        await this.preconditions.require(tx, 'project', toProject(row, new Urls(actor.baseUrl)));
        if (dto.labels !== undefined) await this.changeLabels(tx, actor, id, dto.labels);
        return [
          ...assignments({
            name: dto.name,
            bug_tracker: dto.bug_tracker,
            owner_id: dto.owner_id,
            ...newAssignee(row, dto.assignee_id, tx.now),
          }),
          ...(await this.storages.update(tx, actor, row, dto)),
        ];
      });
    });
  }

  /** Moves the project with its tasks. */
  private async move(
    tx: Tx,
    actor: Actor,
    id: number,
    organization: OrganizationFacts | null,
    dto: UpdateProjectDto,
  ): Promise<ProjectDto> {
    requireAll(projectPolicy, ['create'], actor, { ownerId: actor.id, assigneeId: null, organization });
    const to = organization?.id ?? null;
    await this.rows.lockContents(tx, id);
    await this.transfers.prepare(tx, { kind: 'project', id, actor, to });
    return this.projects.transfer(tx, actor, id, async (row) => {
      await this.preconditions.require(tx, 'project', toProject(row, new Urls(actor.baseUrl)));
      await this.rows.moveContents(tx, id, to);
      return [
        ...assignments({ organization_id: to, owner_id: actor.id }),
        ...(await this.storages.update(tx, actor, row, dto)),
      ];
    });
  }

  /** Locks what changes with the labels. Call it before the project is locked. */
  private async lockForLabels(tx: Tx, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.lockDeleted(tx, { kind: 'project', id }, deletedLabels(changes));
    await this.rows.lockContents(tx, id);
  }

  private async changeLabels(tx: Tx, actor: Actor, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.changeAll(tx, actor, { kind: 'project', id }, changes);
    await this.rows.touchContents(tx, id, tx.now);
  }
}
