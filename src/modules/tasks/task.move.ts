import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Invalid, InvalidList } from '../../core/http/errors.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../policy/actor.js';
import { LabelService } from '../labels/index.js';
import { ProjectRepository, ProjectService } from '../projects/index.js';
import { LabelRemapping } from './label-remapping.js';
import { type LabelForMapping, mapLabels } from './label-mapping.js';
import type { TaskRow } from './task.mapper.js';

/** Moving a task into a project: its annotations go over to the project's labels of the same names. */
@Injectable()
export class TaskMove {
  constructor(
    @Inject(ProjectService) private readonly projects: ProjectService,
    @Inject(ProjectRepository) private readonly projectRows: ProjectRepository,
    @Inject(LabelService) private readonly labels: LabelService,
    @Inject(LabelRemapping) private readonly remapping: LabelRemapping,
  ) {}

  /** @returns what changes in the task's row */
  async into(tx: Tx, actor: Actor, task: TaskRow, projectId: number | null): Promise<Sql[]> {
    if (projectId === task.project_id) return [];
    if (projectId === null) throw new Invalid({ project_id: ['A task cannot be taken out of its project.'] });
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
    await this.remapping.run(tx, task.id, mapping);
    if (task.project_id === null) await tx.query(sql`delete from label where task_id = ${task.id}`);
    return [sql`project_id = ${projectId}`];
  }
}
