import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { updateScopes } from '../../core/access/update-scopes.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { assignments } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { TaskScope } from '../../shared/policy/task.policy.js';
import { newAssignee } from '../projects/index.js';
import { StorageService } from '../storages/index.js';
import type { Tx } from '../../core/database/tx.js';
import { deletedLabels, type LabelChangeDto, LabelService } from '../labels/index.js';
import { type TaskDto, type UpdateTaskDto, toTask } from './task.dto.js';
import { TaskMove } from './task.move.js';
import { TaskService } from './task.service.js';

/** The scope that each field needs. */
const UPDATE_SCOPES: Readonly<Record<string, TaskScope>> = {
  name: 'update:desc',
  labels: 'update:desc',
  bug_tracker: 'update:desc',
  subset: 'update:desc',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  project_id: 'update:project',
  organization: 'update:organization',
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
    private readonly preconditions: Preconditions,
  ) {}

  update(actor: Actor, id: number, body: Unvalidated<UpdateTaskDto>): Promise<TaskDto> {
    return this.work.run(async (tx) => {
      const facts = await this.tasks.require(tx, actor, id, 'view', ...updateScopes(body.raw, UPDATE_SCOPES));
      await this.people.require(tx, actor, facts.organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      const dto = body.validate();
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

  private async changeLabels(tx: Tx, actor: Actor, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.changeAll(tx, actor, { kind: 'task', id }, changes);
    await this.tasks.touchJobs(tx, id);
  }
}
